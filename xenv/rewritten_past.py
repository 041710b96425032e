"""Environments that train a fresh copy every turn, because they insert into the past instead of adding to it.

    reward = +1 where a_t is what a copy does at o_t after another past made of the real one, else -1; 0 on turn 1

They are quadratic in the number of turns. For a past that begins with the real one, a fork of a copy that is
trained on every real transition is used, so that only what follows has to be trained.
Alexander et al. 2021, Example 5 and section 4.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from engine.agent import Agent, Transition
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate


class RewrittenPast(ExtendedEnvironment):
    """A subclass is one method, `imagine`. after_real_past: what it imagines comes after the real past."""

    compiled: ClassVar[bool] = False
    after_real_past: ClassVar[bool] = False

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.fresh, self.prefix = simulate(), simulate()
        self.past: list[Transition] = []

    @abstractmethod
    def imagine(self, past: list[Transition], action: int) -> list[Transition]:
        """The transitions on which the copy is trained, given the real past (not empty) and the present action."""

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        reward = 0.0
        if self.past:
            reward = 1.0 if action == self.copy_after(action).act(0) else -1.0
        real = Transition(0, action, self.copy_reward_sign * reward, 0)
        self.past.append(real)
        if self.after_real_past:
            self.prefix.train(real)
        return reward, 0

    def copy_after(self, action: int) -> Agent:
        """The copy that is asked where this is the present action; the past must not be empty."""
        copy = (self.prefix if self.after_real_past else self.fresh).fork()
        for transition in self.imagine(self.past, action):
            copy.train(transition)
        return copy
