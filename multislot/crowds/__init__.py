"""Crowds: futures that count the rewards of other agents than one's copies, and their value under a policy.

    Q(h, a) = sum_i P^i(h) sum over k of  gamma^k  E[ sum over agents in S_{t+k} that count of  r(o_{t+k}) | h^i = h ]

A crowd says of every agent, by its history and its descent, whether it counts (`Crowd`); `evaluate_crowd` sums the
rewards of those that do. Everyone follows the policy, except that all who have the history h take the action a there.
What the others do is no choice of the agent's, which is why these futures are evaluated and not optimised. That I
have h is evidence about the others too: entire populations are followed up to h, expected numbers of agents from
there. The sum grows with the number of agents. Reference: The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import ClassVar, NamedTuple, TypeAlias

from engine.contracts import Contract, call_method, refuse
from engine.effort import ASK_FIRST, Effort
from engine.errors import BadValue, argument
from engine.registry import Registry, find_namesake_class
from engine.user_code import load_user_code, names_user_code
from multislot.futures import FUTURES
from multislot.learning import Mixture
from multislot.naming import construct_named
from multislot.planning.backup import Arithmetic, exact_arithmetic
from multislot.planning.belief import compute_slot_estimate
from multislot.planning.planner import SlotEvaluation, check_horizon_and_discount
from multislot.worlds.environment import (
    AgentHistory,
    CheckedEnvironment,
    CopyOutcome,
    HistoryPolicy,
    Label,
    Law,
    Slot,
    compute_state_after,
    copy_observation,
)


class Lineage(NamedTuple):
    """An agent as a crowd sees it: the initial slot that it descends from, its own slot and its history."""

    ancestor: Slot
    slot: Slot
    history: AgentHistory


class Crowd(ABC):
    """Which agents count.

    mixture: the environment, for its actions and rewards. argument: what follows the name ("has_output:ACTIONS").
    example: an argument to try the crowd with; empty where it takes none.
    """

    example: ClassVar[str] = ""

    def __init__(self, mixture: Mixture, argument: str = "") -> None:
        self.mixture = mixture
        self.argument = argument

    @abstractmethod
    def counts(self, agent: Lineage, ancestor: Slot) -> bool:
        """Return whether an agent counts; ancestor: the initial slot that I descend from. A pure function."""

    def includes(self, agent: Lineage, ancestor: Slot) -> bool:
        """Return whether an agent counts, checked. ContractBroken where `counts` raises or gives no bool."""
        answer = call_method(self, "counts", agent, ancestor)
        if not isinstance(answer, bool):
            refuse(self, "counts", answer, "True or False")
        return answer


CROWD = Contract[type[Crowd]]("crowd", derives=Crowd)
CROWDS: Registry[type[Crowd]] = Registry(
    "multislot.crowds", "crowd", find_namesake_class, accept=CROWD.accept, group="caregrid.crowds"
)


def is_crowd(name: str) -> bool:
    """Return whether the name of a value stands for a crowd: a registered one, or a class of the user's own."""
    word, _, rest = name.partition(":")
    own = f"{word}:{rest.partition(':')[0]}"
    if word in CROWDS or word in FUTURES or not names_user_code(own):
        return word in CROWDS
    return inspect.isclass(load_user_code(own, "future or crowd"))


def find_crowd(name: str, mixture: Mixture) -> Crowd:
    """Return a crowd by its name: "common_ancestor", "has_output:11011", "my_file:Mine". UnknownName, BadValue."""
    return construct_named(CROWDS, name, mixture)


UNITS_PER_AGENT = 5
Masses: TypeAlias = dict[Lineage, Fraction]
Populations: TypeAlias = dict[tuple[Lineage, ...], Fraction]


def evaluate_crowd(
    mixture: Mixture,
    crowd: Crowd,
    policy: HistoryPolicy | None,
    horizon: int,
    discount: Fraction,
    history: AgentHistory = (),
    arithmetic: Arithmetic = exact_arithmetic,
    effort: Effort = ASK_FIRST,
) -> SlotEvaluation:
    """Return the value of each action at a history under a policy; `action` is the policy's own.

    BadValue without policy, and, with an estimate, where more agents are to be followed than `effort` allows.
    """
    if policy is None:
        remedy = f"name one with {argument('policy')}"
        raise BadValue("this future is only evaluated, for a given policy", remedy=remedy)
    if len(mixture.environments) > 1:
        raise BadValue("this future is only evaluated in one environment", remedy="leave the class out")
    check_horizon_and_discount(horizon, discount)
    history = mixture.spell(history)
    mixture.require_protocol(len(history) + horizon)
    environment = mixture.members[0]
    values = {}
    for action in mixture.actions:
        deviating = _deviate_at(policy, history, action)
        values[action] = arithmetic.number(
            _sum_rewards(environment, crowd, deviating, horizon, discount, history, effort)
        )
    chosen = policy(history)
    estimate = compute_slot_estimate(mixture.members, mixture.posterior(history), history)
    numbers = {slot: arithmetic.number(probability) for slot, probability in estimate.items()}
    return SlotEvaluation(values, values[chosen], chosen, (chosen,), numbers, {})


def _deviate_at(policy: HistoryPolicy, history: AgentHistory, action: Label) -> HistoryPolicy:
    return lambda past: action if past == history else policy(past)


def _sum_rewards(
    environment: CheckedEnvironment,
    crowd: Crowd,
    policy: HistoryPolicy,
    horizon: int,
    discount: Fraction,
    history: AgentHistory,
    effort: Effort,
) -> Fraction:
    """The expected discounted sum of the crowd's rewards after the history; 0 where nobody can have the history."""
    populations: Populations = {tuple(Lineage(slot, slot, ()) for slot in environment.initial): Fraction(1)}
    following = _follow_history_first(policy, history)
    work = effort.in_steps(len(history), "steps of agents", f"history of {len(history)} steps")
    for _ in history:
        work.step(UNITS_PER_AGENT * sum(map(len, populations)))
        populations = _advance_populations(environment, populations, following)
    total, normaliser = Fraction(0), Fraction(0)
    for ancestor in environment.initial:
        mass, masses = _condition_on_history(populations, ancestor, history)
        normaliser += mass
        work = effort.in_steps(horizon, "steps of agents", f"horizon {horizon}")
        for k in range(horizon):
            work.step(UNITS_PER_AGENT * len(masses))
            masses = _advance_masses(environment, masses, following)
            if not masses:
                break
            counted = (
                m * environment.rewards[a.history[-1][1]] for a, m in masses.items() if crowd.includes(a, ancestor)
            )
            total += discount**k * sum(counted, Fraction(0))
    return total / normaliser if normaliser else total


def _condition_on_history(populations: Populations, ancestor: Slot, history: AgentHistory) -> tuple[Fraction, Masses]:
    """The expected number of agents of that descent with the history; of all agents, each time weighted by those."""
    normaliser = Fraction(0)
    masses = Masses()
    for agents, probability in populations.items():
        mine = probability * sum(agent.ancestor == ancestor and agent.history == history for agent in agents)
        normaliser += mine
        for agent in agents if mine else ():
            masses[agent] = masses.get(agent, Fraction(0)) + mine
    return normaliser, masses


def _follow_history_first(policy: HistoryPolicy, history: AgentHistory) -> HistoryPolicy:
    """Return the policy, but on the way to the history with the history's actions."""

    def act(past: AgentHistory) -> Label:
        on_the_way = len(past) < len(history) and history[: len(past)] == past
        return history[len(past)][0] if on_the_way else policy(past)

    return act


def _advance_populations(
    environment: CheckedEnvironment, populations: Populations, policy: HistoryPolicy
) -> Populations:
    """Everyone who may be there one step later, with its probability; every slot draws its outcome on its own."""
    later: Populations = {}
    for agents, probability in populations.items():
        choices = [_ask_agent(environment, agent, policy) for agent in agents]
        for outcomes in product(*(law for _, law in choices)):
            copies = [
                copy
                for agent, (action, _), outcome in zip(agents, choices, outcomes, strict=True)
                for copy in _list_copies(agent, action, outcome)
            ]
            there = tuple(sorted(copies, key=lambda copy: copy.slot))
            chance = prod((outcome.probability for outcome in outcomes), start=probability)
            later[there] = later.get(there, Fraction(0)) + chance
    return later


def _advance_masses(environment: CheckedEnvironment, masses: Masses, policy: HistoryPolicy) -> Masses:
    """Return the expected number of agents by lineage, one step later."""
    later: Masses = {}
    for agent, mass in masses.items():
        action, law = _ask_agent(environment, agent, policy)
        for (slot, observation), probability in copy_observation(law).items():
            copy = Lineage(agent.ancestor, slot, (*agent.history, (action, observation)))
            later[copy] = later.get(copy, Fraction(0)) + mass * probability
    return later


def _ask_agent(environment: CheckedEnvironment, agent: Lineage, policy: HistoryPolicy) -> tuple[Label, Law]:
    """Return what an agent does and what may come of it."""
    action = policy(agent.history)
    return action, environment.law(compute_state_after(environment, agent.history), agent.slot, action)


def _list_copies(agent: Lineage, action: Label, outcome: CopyOutcome) -> Iterator[Lineage]:
    for slot, observation in outcome.copies.items():
        yield Lineage(agent.ancestor, slot, (*agent.history, (action, observation)))
