"""Newcomb's problem, for money or normalised: the opaque box is filled by what a copy of the player would do.

    take one box:     what is in the opaque box, 1 000 000 if the copy would take one box, else 0
    take both boxes:  1 000 more
    normalised:       r = 2 money / (all the money) - 1

Alexander et al. 2021, Example 7; R. Nozick, "Newcomb's problem and two principles of choice", 1969.
"""

from __future__ import annotations

from abc import abstractmethod

from engine.agent import Agent, Transition
from xenv.environment import ExtendedEnvironment
from xenv.simulation import Simulate

__all__ = ["Newcomb", "NewcombNormalised"]

TAKE_BOTH_BOXES = 1
TRANSPARENT, OPAQUE = 1_000.0, 1_000_000.0


class NewcombBoxes(ExtendedEnvironment):
    """Newcomb's boxes: the copy is trained like the player and predicts the player."""

    action_names = ("one box", "both")
    observation_names = ("boxes",)

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy: Agent = simulate()

    @abstractmethod
    def reward_for(self, money: float) -> float:
        """Return the reward for an amount of money."""

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        money = 0.0 if self.copy.act(0) == TAKE_BOTH_BOXES else OPAQUE
        if action == TAKE_BOTH_BOXES:
            money += TRANSPARENT
        reward = self.reward_for(money)
        self.copy.train(Transition(0, action, self.copy_reward_sign * reward, 0))
        return reward, 0


class Newcomb(NewcombBoxes):
    """Newcomb's problem, played again and again for money.

    Alexander et al. 2021, Example 7.

    A reward is the money taken.
    """

    reward_range = (0.0, TRANSPARENT + OPAQUE)

    def reward_for(self, money: float) -> float:
        return money


class NewcombNormalised(NewcombBoxes):
    """Newcomb's problem with rewards that other environments can be averaged with.

        r = 2 money / (all the money) - 1

    After Alexander et al. 2021, Example 7.

    Taking nothing is worth -1, taking everything +1.
    """

    def reward_for(self, money: float) -> float:
        return 2 * money / (TRANSPARENT + OPAQUE) - 1
