"""A copy of the player: it does what it has most often been shown for an observation.

    act(o) = the action that was taken most often after o, of several the latest; action 0 where o is new

Choices: an environment trains its copies on the pasts that it imagines, so the copy learns from the player's moves as
the environment shows them to it. Rewards do not matter to it, nor what came before the present observation; where the
player's behaviour depends on them, it is a bad likeness, and the player meets that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.agent import Agent, AgentSpec, Transition


@dataclass(frozen=True)
class PlayerModel(AgentSpec):
    """It has nothing to set."""

    ignores_other_hyperparameters: ClassVar[bool] = True

    def build(self, n_observations: int, n_actions: int, key: int) -> PlayerCopy:
        """A fresh copy, which has been shown nothing."""
        return PlayerCopy()


class PlayerCopy(Agent):
    """counts: observation -> action -> how often it was shown, the latest last."""

    def __init__(self) -> None:
        self.counts: dict[int, dict[int, int]] = {}

    def act(self, observation: int) -> int:
        """The action shown most often, of several the latest."""
        shown = self.counts.get(observation, {0: 0})
        return max(reversed(shown), key=shown.__getitem__)

    def train(self, transition: Transition) -> None:
        """Count the action."""
        shown = self.counts.setdefault(transition.observation, {})
        shown[transition.action] = shown.pop(transition.action, 0) + 1

    def fork(self) -> PlayerCopy:
        """A copy with the same counts."""
        twin = PlayerCopy()
        twin.counts = {observation: dict(shown) for observation, shown in self.counts.items()}
        return twin
