"""Policies: what history-based agents in a simulation, or in the evaluation of a policy, do at each history.

A policy is a class; each file of `multislot/policies` is one. Reference: The Multi-slot Framework, Definition 8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from engine.contracts import called, refuse
from engine.errors import UnknownName
from engine.limits.effort import ASK_FIRST, Effort
from multislot.learning.mixture import Mixture
from multislot.planning.arithmetic import Arithmetic, exact_arithmetic
from multislot.worlds.environment import AgentHistory, HistoryPolicy, Label


class PolicyContext(NamedTuple):
    """What a policy may depend on.

    last_step: the time step after which no reward counts, for policies that plan. effort: how much they may plan at
    each history without asking.
    """

    mixture: Mixture
    last_step: int = 0
    discount: Fraction = Fraction(1, 2)
    arithmetic: Arithmetic = exact_arithmetic
    effort: Effort = ASK_FIRST


class SlotPolicy(ABC):
    """A deterministic policy: a pure function of the agent's history, the same on whatever slot the agent is.

    The present time step is `time_step(history)`, from 1, so that a policy may change with time.

    context: the environment and the discount. argument: what follows the name ("always:ACTION"). example: an argument
    to try the policy with; empty where it takes none.
    """

    example: ClassVar[str] = ""

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        self.context, self.argument = context, argument

    @abstractmethod
    def act(self, history: AgentHistory) -> Label:
        """The action at a history."""

    def __call__(self, history: AgentHistory) -> Label:
        """The action at a history, checked. ContractBroken where `act` raises or gives what is not an action."""
        action: Label = called(self, "act", history)
        if action not in self.context.mixture.actions:
            refuse(self, "act", action, f"one of {list(self.context.mixture.actions)}")
        return action

    def __deepcopy__(self, memo: dict[int, Any]) -> SlotPolicy:
        """Copies of an agent share its policy, which cannot change."""
        return self


class HistoryFunction(SlotPolicy):
    """A function of the history as a policy."""

    def __init__(self, context: PolicyContext, function: HistoryPolicy) -> None:
        super().__init__(context)
        self.__wrapped__ = function  # where messages say that it is

    def act(self, history: AgentHistory) -> Label:
        return self.__wrapped__(history)


def time_step(history: AgentHistory) -> int:
    """The time step, from 1, at which an agent with this history acts."""
    return len(history) + 1


def parse_action(word: str, context: PolicyContext, place: str) -> Label:
    """The action of that name; UnknownName otherwise."""
    actions = {str(label): label for label in context.mixture.actions}
    if word not in actions:
        raise UnknownName("action", word, actions, place=place)
    return actions[word]
