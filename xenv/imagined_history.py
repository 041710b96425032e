"""Environments that reward the agent for acting as it would have acted after another past.

    reward = +1 where a_t = copy.act(o_t), else -1, the copy having been trained on imagine(h) for each transition h

An environment of this kind is one method, `imagine`: the transitions on which the copy is trained in place of `real`.
Alexander et al. 2021, Examples 3 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Agent, Transition
from xenv.environment import ExtendedEnvironment
from xenv.simulation import Simulate


class ImaginedHistory(ExtendedEnvironment):
    """A copy is trained on an imagined past; the agent is rewarded for acting as the copy would.

    turn: turns so far, the present one included (1, 2, ...). last_reward: the real reward of the turn before, 0 on the
    first. Subclasses override `imagine`, and rarely what the agent observes or what the copy is and is asked.
    """

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = self.make_copy(simulate)
        self.turn, self.observation = 0, self.observe(0)
        self.last_reward = 0.0

    def imagine(self, real: Transition) -> Iterator[Transition]:
        """The transitions on which the copy is trained in place of a real one: none, one or several."""
        yield real

    def make_copy(self, simulate: Simulate) -> Agent:
        """The copy, untrained."""
        return simulate()

    def observe(self, k: int) -> int:
        """The observation that follows turn k (k = 0: the first one)."""
        return 0

    def question(self) -> int:
        """The observation that the copy is asked about."""
        return self.observation

    def reward_for(self, action: int) -> float:
        """The reward for an action."""
        return 1.0 if action == self.copy.act(self.question()) else -1.0

    def start(self) -> int:
        return self.observation

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        reward = self.reward_for(action)
        real = Transition(self.observation, action, self.copy_reward_sign * reward, self.observe(self.turn))
        for imagined in self.imagine(real):
            self.copy.train(imagined)
        self.observation, self.last_reward = real.next_observation, real.reward
        return reward, real.next_observation
