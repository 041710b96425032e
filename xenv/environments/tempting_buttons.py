"""Tempting buttons: rooms with and without a button, and a copy that is asked what it would do in a room with one.

    button, 1 room in 4:  pushing is worth +1
    no button:            the reward depends on whether the copy would push a button here

Alexander et al. 2021, Example 4, and a variation from its library.
"""

from __future__ import annotations

from abc import abstractmethod

from engine.agent import Agent, Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach
from xenv.simulation import Simulate

__all__ = ["TemptingButton", "TemptingButtonVariation"]

PUSH = 0
BUTTON, NO_BUTTON = 0, 1
PROBABILITY_OF_NO_BUTTON = 0.75


class TemptingButtons(ExtendedEnvironment):
    """Rooms with and without a button: the first has one, and the copy is trained on the real past."""

    n_observations = 2
    action_names = ("push", "skip")
    observation_names = ("button", "empty")

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy: Agent = simulate()
        self.random_source = simulate.random_source
        self.turn = 0
        self.observation = BUTTON

    @abstractmethod
    def reward_for(self, action: int) -> float:
        """Return the reward for an action in the present room."""

    def question(self) -> int:
        """Return the observation that the copy is asked about."""
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


class TemptingButton(TemptingButtons):
    """A button that is worth pushing, where the other rewards go to those who would not push one.

        button:     +1 for pushing, -1 for not pushing
        no button:  -1 if the copy would push a button here, else +1, whatever the agent does

    Alexander et al. 2021, Example 4.

    Of agents that do the same whenever they see a button, those that never push are best. An agent can tell that it is
    asked and not there: the copy's last transition led into another room. So the most is +1 in every turn.
    """

    in_benchmark = True

    def reward_for(self, action: int) -> float:
        if self.observation == BUTTON:
            return 1.0 if action == PUSH else -1.0
        return -1.0 if self.copy.act(BUTTON) == PUSH else 1.0

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        return RewardReach(0.0, turns)


class TemptingButtonVariation(TemptingButtons):
    """The tempting button again, but pushing is what counts everywhere and skipping is worth nothing.

        button:     +1 for pushing
        no button:  pushing is worth +1 if the copy would skip a button here, else -1
        skipping:    0

    A variation of Alexander et al. 2021, Example 4, from its library.

    Skipping buttons and pushing where there are none is best, unless an agent tells being asked from being there, as in
    `tempting_button`.
    """

    in_benchmark = True

    def reward_for(self, action: int) -> float:
        if action != PUSH:
            return 0.0
        return 1.0 if self.observation == BUTTON or self.copy.act(BUTTON) != PUSH else -1.0

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """At random half of the buttons are pushed; where there is none, both answers of the copy are as likely."""
        later_buttons = sum(source.uniform(turn + 1) >= PROBABILITY_OF_NO_BUTTON for turn in range(1, turns))
        return RewardReach((1 + later_buttons) / 2, turns)
