"""Deterministic policies: what history-based agents do at each history, simulated or evaluated.

A policy is a class derived from `SlotPolicy`, made of a `PolicyContext` and of what follows its name: "always:ACTION"
or the action by itself, "cycle:A,B,C", "random:SEED", "optimal:FUTURE" or the future by itself ("cpy", "sta:1", "dyn"
...), "lookahead:K,FUTURE". Reference: The Multi-slot Framework, Definition 8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from engine.contracts import Contract, call_method, refuse
from engine.effort import ASK_FIRST, Effort
from engine.errors import UnknownName
from engine.registry import Registry, find_sole_subclass
from multislot.futures import FUTURES
from multislot.learning import Mixture
from multislot.naming import construct_named
from multislot.planning.backup import Arithmetic, exact_arithmetic
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
        self.context = context
        self.argument = argument

    @abstractmethod
    def act(self, history: AgentHistory) -> Label:
        """Return the action at a history."""

    def __call__(self, history: AgentHistory) -> Label:
        """Return the action at a history, checked. ContractBroken where `act` raises or gives what is not an action."""
        action: Label = call_method(self, "act", history)
        if not isinstance(action, Hashable) or action not in self.context.mixture.actions:
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
    """Return the time step, from 1, at which an agent with this history acts."""
    return len(history) + 1


def parse_action(word: str, context: PolicyContext, place: str) -> Label:
    """Return the action of that name; UnknownName otherwise."""
    actions = {str(label): label for label in context.mixture.actions}
    if word not in actions:
        raise UnknownName("action", word, actions, place=place)
    return actions[word]


POLICY = Contract[type[SlotPolicy]]("policy", derives=SlotPolicy)
SLOT_POLICIES: Registry[type[SlotPolicy]] = Registry(
    "multislot.policies",
    "policy",
    find_sole_subclass(SlotPolicy),
    accept=POLICY.accept,
    group="caregrid.slot_policies",
)


def make_slot_policy(name: str, context: PolicyContext) -> SlotPolicy:
    """Return a policy by its name. UnknownName, BadValue."""
    word, colon, _ = name.partition(":")
    if word in FUTURES:
        name = f"optimal:{name}"
    elif name in map(str, context.mixture.actions):
        name = f"always:{name}"
    elif not colon and word not in SLOT_POLICIES:
        first, _, rest = name.partition("_")
        if not rest or first not in SLOT_POLICIES:
            raise UnknownName("policy", name, [*SLOT_POLICIES.names(), *FUTURES.names()])
        name = f"{first}:{rest}"
    return construct_named(SLOT_POLICIES, name, context)
