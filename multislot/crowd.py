"""Futures that count other agents than one's copies, for a given policy: the expected discounted sum of their rewards.

    Q(h, a) = sum over k of  gamma^k  E[ sum over agents in S_{t+k} that count of  r(o_{t+k}) ]

Everyone follows the policy, except that all who have the history h take the action a there. What the others do is no
choice of the agent's, which is why these futures are evaluated and not optimised. The sum grows with the number of
agents. Each file of `multislot/crowds` is one crowd. Reference: The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from engine.errors import BadValue
from engine.registry import Registry
from multislot.backend import Backend, exact
from multislot.environment import History, HistoryEnvironment, Label, Slot, checked_law, copy_observation, state_after
from multislot.mixture import Mixture
from multislot.planning import Policy
from multislot.values import Answer, check_history, slot_estimate


class Lineage(NamedTuple):
    """An agent as a crowd sees it: the initial slot that it descends from, its own slot and its history."""

    ancestor: Slot
    slot: Slot
    history: History


Crowd: TypeAlias = Callable[[Lineage, Mapping[Slot, Fraction]], Fraction]
Masses: TypeAlias = dict[Lineage, Fraction]

CROWDS: Registry[Callable[[str, Mixture], Crowd]] = Registry("multislot.crowds", "crowd")


def crowd(name: str, mixture: Mixture) -> Crowd:
    """A crowd by its name: (agent, {ancestor: probability of being mine}) -> how much the agent counts."""
    word, _, argument = name.partition(":")
    return CROWDS[word](argument, mixture)


def evaluate_crowd(
    mixture: Mixture,
    counts: Crowd,
    policy: Policy | None,
    horizon: int,
    discount: Fraction,
    history: History = (),
    backend: Backend = exact,
) -> Answer:
    """The value of each action at a history under a policy; `action` is the policy's own. BadValue without policy."""
    if policy is None:
        raise BadValue("this future is only evaluated, for a given policy", remedy="name one with --policy")
    if len(mixture.environments) > 1:
        raise BadValue("this future is only evaluated in one environment", remedy="leave the class out")
    check_history(mixture, history)
    environment = mixture.environments[0]
    values = {}
    for action in mixture.actions:
        deviating = _deviating(policy, history, action)
        values[action] = backend.number(_total(environment, counts, deviating, horizon, discount, history))
    chosen = policy(history)
    estimate = {slot: backend.number(share) for slot, share in slot_estimate(mixture, history).items()}
    return Answer(values, values[chosen], chosen, (chosen,), estimate, {})


def _deviating(policy: Policy, history: History, action: Label) -> Policy:
    return lambda past: action if past == history else policy(past)


def _total(
    environment: HistoryEnvironment,
    counts: Crowd,
    policy: Policy,
    horizon: int,
    discount: Fraction,
    history: History,
) -> Fraction:
    """The discounted sum of the crowd's rewards after the history's time; 0 where nobody can have the history."""
    masses: Masses = {Lineage(slot, slot, ()): Fraction(1) for slot in environment.initial}
    following = _along(policy, history)
    for _ in history:
        masses = _after(environment, masses, following)
    mine = [lineage for lineage in masses if lineage.history == history]
    whole = sum((masses[lineage] for lineage in mine), Fraction(0))
    total, weight = Fraction(0), Fraction(1)
    ancestors: dict[Slot, Fraction] = {}
    for lineage in mine:
        ancestors[lineage.ancestor] = ancestors.get(lineage.ancestor, Fraction(0)) + masses[lineage] / whole
    for _ in range(horizon if mine else 0):
        masses = _after(environment, masses, following)
        for lineage, mass in masses.items():
            reward = environment.rewards[lineage.history[-1][1]]
            total += weight * mass * counts(lineage, ancestors) * reward
        weight *= discount
    return total


def _along(policy: Policy, history: History) -> Policy:
    """The policy, but on the way to the history with the history's actions."""

    def act(past: History) -> Label:
        on_the_way = len(past) < len(history) and history[: len(past)] == past
        return history[len(past)][0] if on_the_way else policy(past)

    return act


def _after(environment: HistoryEnvironment, masses: Masses, policy: Policy) -> Masses:
    """The expected number of agents by lineage, one step later."""
    later: Masses = {}
    for lineage, mass in masses.items():
        for successor, probability in _copies(environment, lineage, policy):
            later[successor] = later.get(successor, Fraction(0)) + mass * probability
    return later


def _copies(environment: HistoryEnvironment, lineage: Lineage, policy: Policy) -> Iterator[tuple[Lineage, Fraction]]:
    state = state_after(environment, lineage.history)
    action = policy(lineage.history)
    law = checked_law(environment, state, lineage.slot, action)
    for (slot, observation), probability in copy_observation(law).items():
        yield Lineage(lineage.ancestor, slot, (*lineage.history, (action, observation))), probability
