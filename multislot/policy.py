"""Policies by name: what history-based agents in a simulation, or in policy evaluation, do with their history.

"always:ACTION", "cycle:A,B,C", "random:SEED", an action by itself, or the name of a value ("cpy", "sta:1", "dyn" ...)
for the agent that is optimal for it. Each file of `multislot/policies` is one kind.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from engine.errors import UnknownName
from engine.registry import Registry
from multislot.future import FUTURES
from multislot.learning.mixture import Mixture
from multislot.planning.arithmetic import Arithmetic, exact_arithmetic
from multislot.planning.evaluate import evaluate
from multislot.planning.planner import HistoryPolicy
from multislot.worlds.environment import Label


class PolicyContext(NamedTuple):
    """What a policy may depend on. lifetime: the time step after which nothing counts, for planning policies."""

    mixture: Mixture
    lifetime: int = 0
    discount: Fraction = Fraction(1, 2)
    arithmetic: Arithmetic = exact_arithmetic


SLOT_POLICIES: Registry[Callable[[str, PolicyContext], HistoryPolicy]] = Registry("multislot.policies", "policy")


def slot_policy(name: str, setting: PolicyContext) -> HistoryPolicy:
    """A policy by its name. UnknownName, BadValue."""
    word, colon, argument = name.partition(":")
    if word in FUTURES:
        return optimal_policy(name, setting)
    if name in map(str, setting.mixture.actions):
        word, argument = "always", name
    elif word not in SLOT_POLICIES and not colon and "_" in name:
        word, _, argument = name.partition("_")
    if word not in SLOT_POLICIES:
        raise UnknownName("policy", name, [*SLOT_POLICIES.names(), *FUTURES.names()])
    return SLOT_POLICIES[word](argument, setting)


def optimal_policy(value: str, setting: PolicyContext) -> HistoryPolicy:
    """The agent that maximises a value until the end of its lifetime; answers are remembered."""
    answers: dict[object, Label] = {}

    def act(history: tuple[tuple[Label, Label], ...]) -> Label:
        if history not in answers:
            left = max(setting.lifetime - len(history), 0)
            answer = evaluate(setting.mixture, value, left, setting.discount, history, setting.arithmetic)
            answers[history] = answer.action
        return answers[history]

    return act


def parse_action(word: str, setting: PolicyContext, kind: str) -> Label:
    """The action of that name; UnknownName otherwise."""
    actions = {str(label): label for label in setting.mixture.actions}
    if word not in actions:
        raise UnknownName("action", word, actions, place=f"policy '{kind}'")
    return actions[word]
