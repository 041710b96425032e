"""The constant agent: one action, always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.agent import Agent, AgentSpec, Transition
from engine.compiling.objects import Compilable
from engine.errors import BadValue


@dataclass(frozen=True)
class Constant(AgentSpec):
    """The spec of the constant agent.

    Parameters
    ----------
    action : the action that it always takes.
    """

    ignores_other_hyperparameters: ClassVar[bool] = True

    action: int = 0

    def build(self, n_observations: int, n_actions: int, key: int) -> ConstantAgent:
        """Build a constant agent; raise BadValue where its action is not below n_actions."""
        if not 0 <= self.action < n_actions:
            raise BadValue(f"action is {self.action}", place="constant", remedy=f"choose from 0 to {n_actions - 1}")
        return ConstantAgent(self.action)


class ConstantAgent(Agent, Compilable):
    """The agent that a `Constant` spec builds."""

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, observation: int) -> int:
        """Return the one action."""
        return self.action

    def train(self, transition: Transition) -> None:
        """Learn nothing."""

    def fork(self) -> ConstantAgent:
        """Return another agent of the same action."""
        return ConstantAgent(self.action)
