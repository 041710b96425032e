"""What the tempting buttons share: rooms with and without a button, and a copy that is asked about a room with one."""

from __future__ import annotations

from abc import abstractmethod

from engine.agent import Agent, Transition
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate

PUSH = 0
BUTTON, NO_BUTTON = 0, 1
PROBABILITY_OF_NO_BUTTON = 0.75


class TemptingButtons(ExtendedEnvironment):
    """The first room has a button; the copy is trained on the real past."""

    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy: Agent = simulate()
        self.random_source = simulate.random_source
        self.turn, self.observation = 0, BUTTON

    @abstractmethod
    def reward_for(self, action: int) -> float:
        """The reward for an action in the present room."""

    def question(self) -> int:
        """The observation that the copy is asked about."""
        return BUTTON

    def start(self) -> int:
        return self.observation

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        reward = self.reward_for(action)
        shown = NO_BUTTON if self.random_source.uniform(self.turn + 1) < PROBABILITY_OF_NO_BUTTON else BUTTON
        self.copy.train(Transition(self.observation, action, self.copy_reward_sign * reward, shown))
        self.observation = shown
        return reward, shown
