"""Infer who comes afterwards from what they did: Bayesian inverse reinforcement learning over finite candidates.

Each newcomer of a scenario is a candidate, an agent that acts by Boltzmann's rule for its own reward:

    P(a | s, V) = exp(Q_V(s, a) / T) / sum_b exp(Q_V(s, b) / T)
    P(V | d_1, ..., d_n)  is in proportion to  P(V) prod_i prod_t P(a_t | s_t, V)

T is the temperature, in units of the reward: 0 would be an agent that makes no mistake. Where nothing can be
finished any more, every available action is as likely. All demonstrations are by one and the same newcomer. A file
of demonstrations says from which start the newcomer began, in words, and what it did:

    {"demonstrations": [{"start": {"cell": [5, 4], "pan": "dirty", ...}, "actions": ["up", "do the chore"]}]}

A start names the fields of a state as `caregrid solve` does in its "handover"; the acting agent must be able to hand it
over. Where chance decides a step, "states" lists the state after each action, in words too.

Reference: D. Ramachandran, E. Amir, "Bayesian inverse reinforcement learning", 2007.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from craftworld.others.value_distribution import find_followed_policy, tabulate_newcomer
from craftworld.scenario import Newcomer, Scenario
from engine.errors import BadFile, BadValue
from engine.files import read_text
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.policies import Trajectory, make_probabilities, sample
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.value_types import Temperature, require

SAME = 1e-9


@dataclass(frozen=True)
class Candidate:
    """A newcomer that may have been watched.

    table: its world, from all states that may be handed over. log_policy: f64[S, A], the logarithms of action
    probabilities, which may themselves be too small for a float.
    """

    newcomer: Newcomer
    table: TabularMDP
    log_policy: Floats

    @property
    def policy(self) -> Floats:
        """f64[S, A]: action probabilities."""
        return np.asarray(np.exp(self.log_policy))

    @property
    def name(self) -> str:
        """The newcomer's name."""
        return self.newcomer.name

    def compute_log_likelihood(self, trajectory: Sequence[tuple[object, str]]) -> float:
        """Compute log P of the actions of a trajectory, (state, action) pairs; -inf where it is impossible."""
        total = 0.0
        for state, action in trajectory:
            if state not in self.table.index or action not in self.table.actions:
                return -math.inf
            number = self.table.index[state]
            if self.table.terminal[number]:
                return -math.inf
            total += float(self.log_policy[number, self.table.actions.index(action)])
        return total

    def sample_trajectory(self, seed: int, limit: int | None = None) -> Trajectory:
        """Sample a trajectory from a random start; a function of the seed."""
        starts = self.table.start_states()
        start = int(starts[int(inverse_cdf(self.table.start[starts], uniform(split(seed, "start"), 0)))])
        counter = iter(range(10**9))

        policy = self.policy

        def act(state: int) -> int:
            return int(inverse_cdf(policy[state], uniform(split(seed, "actions"), next(counter))))

        return sample(self.table, act, start, limit or self.newcomer.scenario.time_limit, split(seed, "steps"))


def make_candidates(scenario: Scenario, mdp: TabularMDP, temperature: float) -> tuple[Candidate, ...]:
    """Make the candidates of a scenario, in the order of its newcomers; a newcomer with a policy acts by that.

    mdp: the acting agent's table. Raises BadValue for a temperature that is not above 0, or fewer than two newcomers.
    """
    require("temperature", temperature, Temperature)
    newcomers = scenario.newcomers()
    if len(newcomers) < 2:
        problem = f"who comes is known: {'one newcomer' if newcomers else 'nobody'}"
        raise BadValue(problem, place=scenario.name, remedy="choose a scenario with several newcomers")
    result = []
    for newcomer in newcomers:
        table, _ = tabulate_newcomer(scenario, mdp, newcomer)
        followed = find_followed_policy(newcomer, table)
        with np.errstate(divide="ignore"):
            known = None if followed is None else np.log(make_probabilities(table, followed))
        result.append(Candidate(newcomer, table, compute_log_boltzmann(table, temperature) if known is None else known))
    return tuple(result)


def compute_log_boltzmann(table: TabularMDP, temperature: float) -> Floats:
    """f64[S, A]: Boltzmann's rule for the optimal action values of a table, as logarithms of probabilities."""
    action_value = plan(table).action_value
    best = action_value.max(axis=1, keepdims=True)
    lost = ~np.isfinite(best)
    available = np.ones(action_value.shape, dtype=np.bool_) if table.available is None else table.available
    with np.errstate(invalid="ignore", over="ignore"):
        exponent = np.where(lost, np.where(available, 0.0, -np.inf), (action_value - best) / temperature)
    return np.asarray(exponent - np.log(np.exp(exponent).sum(axis=1, keepdims=True)))


def group_indistinguishable(candidates: Sequence[Candidate]) -> tuple[tuple[str, ...], ...]:
    """Group names that no behaviour can tell apart: they act with the same probabilities in the same states."""
    groups: list[list[Candidate]] = []
    for each in candidates:
        for group in groups:
            if _act_alike(group[0], each):
                group.append(each)
                break
        else:
            groups.append([each])
    return tuple(tuple(each.name for each in group) for group in groups if len(group) > 1)


def _act_alike(one: Candidate, other: Candidate) -> bool:
    if one.policy.shape != other.policy.shape or list(one.table.states) != list(other.table.states):
        return False
    live = ~one.table.terminal
    alike = (one.table.terminal == other.table.terminal).all() and (one.table.start == other.table.start).all()
    moves = np.array_equal(one.table.next_state, other.table.next_state)
    return bool(alike and moves and np.abs(one.policy - other.policy)[live].max(initial=0.0) <= SAME)


ShownActions = Sequence[tuple[object, str]]


@dataclass(frozen=True)
class Posterior:
    """candidates: N. log_weight: f64[N], the logarithm of prior times likelihood. seen: how many demonstrations."""

    candidates: tuple[Candidate, ...]
    log_weight: Floats
    seen: int = 0

    @classmethod
    def prior(cls, candidates: tuple[Candidate, ...], prior: Sequence[float] | None = None) -> Posterior:
        """Make the posterior before any demonstration. prior: by default the scenario's P(V), scaled to sum 1.

        Raises BadValue for a prior that is not a distribution over the candidates.
        """
        chances = [each.newcomer.probability for each in candidates] if prior is None else list(prior)
        fits = len(chances) == len(candidates) and all(math.isfinite(each) and each >= 0.0 for each in chances)
        if not fits or not sum(chances) > 0.0:
            raise BadValue(f"prior {chances}", place="prior", remedy=f"give {len(candidates)} chances, not all 0")
        with np.errstate(divide="ignore"):
            return cls(candidates, np.log(np.array(chances, dtype=np.float64) / sum(chances)))

    def update(self, demonstration: ShownActions) -> Posterior:
        """Return the posterior after one more demonstration; BadValue if it is impossible for every candidate."""
        more = np.array([each.compute_log_likelihood(demonstration) for each in self.candidates])
        total = self.log_weight + more
        if np.isneginf(total).all():
            raise BadValue(
                f"demonstration {self.seen + 1} is impossible for every candidate",
                place="demonstrations",
                remedy="check its start and actions",
            )
        return replace(self, log_weight=total, seen=self.seen + 1)

    @property
    def probability(self) -> Floats:
        """f64[N]: P(V | demonstrations)."""
        weight = np.exp(self.log_weight - self.log_weight.max())
        return np.asarray(weight / weight.sum())


KEYS = {"start", "actions", "states"}


def read_demonstrations(path: str | Path, candidates: Sequence[Candidate]) -> list[ShownActions]:
    """Read the demonstrations of a file; BadFile or BadValue, naming the entry, for a malformed one."""
    place = str(path)
    text = read_text(path, remedy="name a file of demonstrations")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"it is not JSON: {error}", place=place, remedy='write {"demonstrations": [...]}') from None
    if (
        not isinstance(content, dict)
        or set(content) != {"demonstrations"}
        or not isinstance(content["demonstrations"], list)
    ):
        raise BadFile("it is not a list of demonstrations", place=place, remedy='write {"demonstrations": [...]}')
    return [
        parse_demonstration(entry, candidates, f"{place}, demonstration {number}")
        for number, entry in enumerate(content["demonstrations"], start=1)
    ]


def parse_demonstration(entry: Any, candidates: Sequence[Candidate], place: str = "demonstrations") -> ShownActions:
    """Parse an entry as in a file into (state, action) pairs; BadValue, with the place, for a malformed one."""
    remedy = 'give {"start": {...}, "actions": [...]}'
    if not isinstance(entry, Mapping) or not {"start", "actions"} <= set(entry) <= KEYS:
        raise BadValue("no start and actions", place=place, remedy=remedy)
    actions = entry["actions"]
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise BadValue("its actions are not a list of names", place=place, remedy=remedy)
    later = entry.get("states", [None] * len(actions))
    if not isinstance(later, list) or len(later) != len(actions):
        raise BadValue("not one state for each action", place=place, remedy="list the state after each action")
    last = None
    for candidate in candidates:  # one in whose world it is possible says which states are passed
        try:
            return _walk(candidate, entry["start"], actions, later, place)
        except BadValue as error:
            last = error
    assert last is not None
    raise last


def _walk(candidate: Candidate, start: Any, actions: list[str], later: list[Any], place: str) -> ShownActions:
    table, scenario = candidate.table, candidate.newcomer.scenario
    starts = {json.dumps(scenario.describe(table.states[n]), sort_keys=True): int(n) for n in table.start_states()}
    number = starts.get(json.dumps(start, sort_keys=True, default=str))
    if number is None:
        raise BadValue(
            "its start is none that can be handed over", place=place, remedy=f"give one like {next(iter(starts))}"
        )
    pairs: list[tuple[object, str]] = []
    for action, after in zip(actions, later, strict=True):
        if action not in table.actions:
            raise BadValue(f"unknown action '{action}'", place=place, remedy=f"use {', '.join(table.actions)}")
        if table.terminal[number]:
            raise BadValue(
                f"its episode is over before action {len(pairs) + 1}", place=place, remedy="leave out what follows"
            )
        pairs.append((table.states[number], action))
        number = _find_next_state(candidate, number, table.actions.index(action), after, place)
    return pairs


def _find_next_state(candidate: Candidate, number: int, action: int, after: Any, place: str) -> int:
    table, scenario = candidate.table, candidate.newcomer.scenario
    possible = sorted({int(n) for n in table.next_state[number, action][table.probability[number, action] > 0.0]})
    if after is None:
        if len(possible) > 1:
            raise BadValue("chance decides a step", place=place, remedy='list the state after each action as "states"')
        return possible[0]
    words = json.dumps(after, sort_keys=True, default=str)
    for each in possible:
        if json.dumps(scenario.describe(table.states[each]), sort_keys=True) == words:
            return each
    raise BadValue(f"a state that cannot follow: {words}", place=place, remedy="correct its states")


def sample_demonstration(candidate: Candidate, seed: int) -> ShownActions:
    """Sample a demonstration by a candidate; a function of the seed."""
    walk = candidate.sample_trajectory(seed)
    table = candidate.table
    return [
        (table.states[state], table.actions[action]) for state, action in zip(walk.states, walk.actions, strict=False)
    ]


def sample_demonstration_entry(candidate: Candidate, seed: int) -> dict[str, Any]:
    """Sample a demonstration as an entry of a file, with its states."""
    walk = candidate.sample_trajectory(seed)
    table = candidate.table
    scenario = candidate.newcomer.scenario
    states = [scenario.describe(table.states[state]) for state in walk.states]
    actions = [table.actions[action] for action in walk.actions]
    return {"start": states[0], "actions": actions, "states": states[1:]}
