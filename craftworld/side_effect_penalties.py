"""Penalties for side effects, step by step along an episode: how far a state is from what would have been.

    UR   d(s; b) = 1 - R(s; b)                          R(s; x) = g^n,  n the fewest steps from s to x
    RR   d(s; b) = 1/N sum_x f(R(b; x) - R(s; x))       over all N states x
    AU   d(s; b) = (1 - g) 1/M sum_u f(V_u(b) - V_u(s)),  V_u(s) = u(s) + g max_a V_u(s')

f is max(0, .) in "(t)", truncated, and the absolute value in "(a)". A state is one in which the agent still acts: where
a step leads that ends the episode is none. The baselines b: the starting state; inaction since the start, step by step
(a second world, which may move by itself); doing nothing instead of the last action, plain (stepwise inaction) or with
inaction rollouts: every value X(s) is then (1 - y) sum_k y^k X(S_k), S_k what doing nothing k times leads to, and for
UR both states are followed at the same time.

The last step of an episode is penalised as the step before it, by 0 if it is the first. References: V. Krakovna,
L. Orseau, M. Martic, S. Legg, "Penalizing side effects using stepwise relative reachability", 2019; A. Turner et al.,
"Conservative agency via attainable utility preservation", 2020.

Choices: each utility function u draws the value of every state from [0, 1) by a seed; AU is left out where g is 1. A
state in which doing nothing would end the episode stays as it is under inaction. The formulations
`relative_reachability_*` and `attainable_utility_*` are RR(t) and RR(a) in a world that goes on after an episode's end;
`penalise_deviation` makes formulations of all measures in the world as it is, whose episodes end, and of AUP
(`craftworld.attainable_utility`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.attainable_utility import AttainableUtilities, UtilitiesSinceStart
from craftworld.described_states import DescribedStates, parse_entries, read_json
from craftworld.formulation import Formulation, at_every_step
from craftworld.others.episode_baselines import (
    BASELINES,
    INACTION,
    ROLLOUTS,
    STARTING_STATE,
    STEPWISE,
    EpisodeBaselines,
    Indices,
    require_no_chance,
    tabulate_idle,
)
from craftworld.others.inaction_baselines import add_inaction_past
from craftworld.rollout import ReplayedEpisode
from craftworld.scenario import Scenario
from craftworld.utility_functions import UtilityFunctions, read_count, read_utilities
from engine.errors import BadFile, BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import policy_iteration
from engine.printable import show_value

ROLLOUT_DISCOUNT = 0.99
NEGLIGIBLE = 1e-17
MOST_NUMBERS = 100_000_000


@dataclass(frozen=True)
class StepPenalty:
    """The penalty of a step. step: its number, from 1. deviations: measure ("UR", "RR(t)" ...) -> d."""

    step: int
    action: str
    baseline: str
    deviations: Mapping[str, float]


def compute_side_effect_penalties(
    scenario: Scenario,
    replayed: ReplayedEpisode,
    discount: float = 0.99,
    utilities: UtilityFunctions = 10,
    seed: int = 0,
) -> list[StepPenalty]:
    """Compute the penalties of every step, for each baseline.

    discount: g, of reachability and utilities. utilities: M, or as `read_utilities` takes them. seed: of their values.
    BadValue for a world with chance in its steps, and for one that is too large.
    """
    mdp = tabulate(scenario, discount)
    require_no_chance(scenario, mdp)
    states = [mdp.index[state] for state in replayed.episode.states]
    idle = tabulate_idle(scenario, mdp, stops=True)
    count = len(states) - 1
    acted = replayed.episode.steps
    if not acted:
        return []
    compared = list(range(1, count + 1))
    if replayed.finished:
        compared[-1] = count - 1  # the last board of an episode is not a state
    since_start = [states[0]]
    for _ in range(count):
        since_start.append(int(idle[since_start[-1]]))
    stepwise = [states[0], *(int(idle[state]) for state in states[:-1])]
    baselines = {
        STARTING_STATE: [states[0]] * (count + 1),
        INACTION: since_start,
        STEPWISE: stepwise,
        ROLLOUTS: stepwise,
    }
    pairs = {name: [(states[time], chain[time]) for time in compared] for name, chain in baselines.items()}
    deviations = _Deviations(mdp, idle, {state for each in pairs.values() for pair in each for state in pair})
    _add_utilities(deviations, scenario, mdp, utilities, seed)
    return [
        StepPenalty(number + 1, acted[number].action, name, deviations.of(*pairs[name][number], name == ROLLOUTS))
        for number in range(count)
        for name in baselines
    ]


@dataclass(frozen=True)
class PairDeviation:
    """How far a state is from a baseline, states in words. rolled: with inaction rollouts. steps: R; None: no way."""

    state: Mapping[str, Any]
    baseline: Mapping[str, Any]
    rolled: bool
    steps: int | None
    deviations: Mapping[str, float]


StatePairs = str | Path | Sequence[tuple[Any, Any]]
PAIRS = 'write {"pairs": [{"state": {...}, "baseline": {...}}, ...]}'
MOST_PAIRS = 1000


def compute_pair_deviations(
    scenario: Scenario,
    pairs: StatePairs,
    discount: float = 0.99,
    utilities: UtilityFunctions = 10,
    seed: int = 0,
) -> list[PairDeviation]:
    """Compute how far states are from baselines, each without and with inaction rollouts.

    pairs: (state, baseline), each a state of the scenario's table or in words, or a file of them. Raises BadValue or
    BadFile, naming the pair, for what is none, or no state in which the agent still acts.
    """
    mdp = tabulate(scenario, discount)
    require_no_chance(scenario, mdp)
    found = _read_pairs(scenario, mdp, pairs)
    deviations = _Deviations(mdp, tabulate_idle(scenario, mdp, stops=True), {state for pair in found for state in pair})
    _add_utilities(deviations, scenario, mdp, utilities, seed)
    following = mdp.next_state[:, :, 0]
    result = []
    for state, baseline in found:
        steps = int(_count_steps_from(following, mdp.terminal, state)[baseline])
        words = scenario.describe(mdp.states[state]), scenario.describe(mdp.states[baseline])
        for rolled in (False, True):
            measured = deviations.of(state, baseline, rolled)
            result.append(PairDeviation(*words, rolled, None if steps < 0 else steps, measured))
    return result


def _add_utilities(
    deviations: _Deviations, scenario: Scenario, mdp: TabularMDP, utilities: UtilityFunctions, seed: int
) -> None:
    """Add utility functions; at discount 1 AU is left out, unless they are somebody's own, which are then refused."""
    if mdp.discount < 1.0 or not isinstance(read_count(utilities), int):
        deviations.add_utilities(read_utilities(scenario, mdp, utilities, seed))


def _read_pairs(scenario: Scenario, mdp: TabularMDP, pairs: StatePairs) -> list[tuple[int, int]]:
    """Return the numbers of states and baselines."""
    place = "pairs"
    entries: Sequence[Any]
    if isinstance(pairs, str | Path):
        place = str(pairs)
        entries = parse_entries(read_json(pairs, "pairs", PAIRS), "pairs", place, PAIRS)
        for number, entry in enumerate(entries, start=1):
            if not isinstance(entry, dict) or set(entry) != {"state", "baseline"}:
                raise BadFile("it is no pair", place=f"{place}, pair {number}", remedy=PAIRS)
        entries = [(entry["state"], entry["baseline"]) for entry in entries]
    elif isinstance(pairs, Sequence):
        entries = pairs
    else:
        raise BadValue(f"pairs is {show_value(pairs)}", place=place, remedy="give a file, or pairs of states")
    if not 1 <= len(entries) <= MOST_PAIRS:
        raise BadValue(f"{len(entries)} pairs", place=place, remedy=f"give 1 to {MOST_PAIRS:,}")
    states = DescribedStates(scenario, mdp, np.flatnonzero(~mdp.terminal))
    found = []
    for number, entry in enumerate(entries, start=1):
        where = f"{place}, pair {number}"
        if not isinstance(entry, Sequence) or isinstance(entry, str) or len(entry) != 2:
            raise BadValue(f"it is {show_value(entry)}", place=where, remedy="give a state and a baseline")
        found.append((_find_state(states, mdp, entry[0], where), _find_state(states, mdp, entry[1], where)))
    return found


def _find_state(states: DescribedStates, mdp: TabularMDP, state: Any, place: str) -> int:
    if isinstance(state, Mapping):
        return states.find_one(dict(state), place)
    try:
        number = mdp.index[state]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError):
        number = -1
    if number < 0 or mdp.terminal[number]:
        remedy = "give a state of the table in which the agent acts, or one in words"
        raise BadValue(f"no state is {show_value(state)}", place=place, remedy=remedy)
    return int(number)


class _Deviations:
    """Deviations between some states. needed: those that are asked for, without what inaction leads on to."""

    def __init__(self, mdp: TabularMDP, idle: Indices, needed: Iterable[int]) -> None:
        self._mdp = mdp
        self._idle = idle
        rows = sorted(needed)
        listed = set(rows)
        for state in rows:
            while (state := int(idle[state])) not in listed:
                listed.add(state)
        self._row = {state: number for number, state in enumerate(sorted(listed))}
        acting = ~mdp.terminal
        if len(listed) * int(acting.sum()) > MOST_NUMBERS:
            culprit = f"{len(listed)} x {int(acting.sum())} reachabilities"
            raise BadValue(culprit, place="penalties", remedy="give fewer actions, or draw a smaller map")
        self._column = (np.cumsum(acting) - 1)[sorted(listed)]
        steps = [_count_steps_from(mdp.next_state[:, :, 0], mdp.terminal, state)[acting] for state in self._row]
        fewest = np.array(steps).reshape(len(self._row), -1)
        self._reach = np.where(fewest >= 0, mdp.discount ** np.maximum(fewest, 0), 0.0)
        self._utility: Floats | None = None

    def add_utilities(self, utilities: Iterable[Floats]) -> None:
        """Add the optimal values of states for some utility functions, f64[S]."""
        values = []
        for utility in utilities:
            reward = np.broadcast_to(utility[:, None, None], self._mdp.reward.shape).copy()
            reward[self._mdp.terminal] = 0.0
            values.append(policy_iteration(replace(self._mdp, reward=reward)).value[list(self._row)])
        self._utility = np.array(values).T * (1.0 - self._mdp.discount)

    def of(self, state: int, baseline: int, rolled: bool) -> dict[str, float]:
        """Compute each measure's deviation of a state from a baseline. rolled: with inaction rollouts."""
        here, there = self._list_followed_rows(state, rolled), self._list_followed_rows(baseline, rolled)
        length = max(len(here), len(there))
        here, there = (np.pad(each, (0, length - len(each)), mode="edge") for each in (here, there))
        weights = _weigh_rollout_steps(length)
        shift = np.bincount(there, weights, len(self._row)) - np.bincount(here, weights, len(self._row))
        result = {"UR": 1.0 - float(weights @ self._reach[here, self._column[there]])}
        for name, values in (("RR", self._reach), ("AU", self._utility)):
            if values is not None:
                lost = shift @ values
                result |= {f"{name}(t)": float(np.maximum(lost, 0.0).mean()), f"{name}(a)": float(np.abs(lost).mean())}
        return result

    def _list_followed_rows(self, state: int, rolled: bool) -> Indices:
        """List the rows of a state and, in a rollout, of its successors under inaction, until the world rests."""
        chain = [state]
        while rolled and self._idle[chain[-1]] != chain[-1] and ROLLOUT_DISCOUNT ** len(chain) > NEGLIGIBLE:
            chain.append(int(self._idle[chain[-1]]))
        return np.array([self._row[each] for each in chain])


@dataclass(frozen=True)
class EpisodeDeviations(EpisodeBaselines):
    """How far steps lead from baselines, in a world whose episodes end."""

    def tabulate(self, mdp: TabularMDP, measure: str, baseline: str, utilities: Sequence[Floats]) -> Floats:
        """f64[S, A, K]: d(s'; b) of every step, 0 where it ends the episode. utilities: none, or those of AU."""
        found = _Deviations(self.world, self.idle, map(int, np.flatnonzero(~self.world.terminal)))
        if utilities:
            found.add_utilities(utilities)
        known: dict[tuple[int, int], float] = {}
        deviation = np.zeros(mdp.reward.shape)
        origins = self.list_baselines(baseline)
        for state in map(int, np.flatnonzero(~mdp.terminal)):
            for action, arrived in enumerate(map(int, mdp.next_state[state, :, 0])):
                if mdp.terminal[arrived]:
                    continue
                pair = int(self.number[arrived]), int(origins[state])
                if pair not in known:
                    known[pair] = found.of(*pair, baseline == ROLLOUTS)[measure]
                deviation[state, action] = known[pair]
        return deviation


class DeviationsSinceStart(EpisodeDeviations):
    """The same, with the state after inaction since the start as a field of the state."""

    @classmethod
    def plan_in(cls, scenario: Scenario) -> Scenario:
        return add_inaction_past(scenario, cls.stops)


MEASURES = ("UR", "RR(t)", "RR(a)", "AU(t)", "AU(a)")
PRESERVED = ("AUP(t)", "AUP(a)")


def penalise_deviation(
    measure: str = "RR(t)", baseline: str = STEPWISE, utilities: UtilityFunctions = 10, seed: int = 0
) -> Formulation:
    """Make the formulation of a published penalty, -d(s'; b) at every step, in a world whose episodes end.

    Parameters
    ----------
    measure : str
        "UR", "RR(t)", "RR(a)", "AU(t)" or "AU(a)"; "AUP(a)" or "AUP(t)" as in `craftworld.attainable_utility`.
    baseline : str
        "starting_state", "inaction", "stepwise_inaction" or, for the first five, "inaction_rollouts".
    utilities : int, str, Path, or a sequence of mappings from states to numbers
        Utility functions of AU and AUP: how many are drawn, or these, which a file may hold
        (`craftworld.utility_functions`); a state that one does not name is worth 0.
    seed : int
        Of what is drawn.

    Returns
    -------
    Formulation
        Its coefficient is the papers' beta, or lambda of AUP. A step that ends the episode costs nothing by the first
        five measures, as it leads to no state.

    Raises
    ------
    BadValue
        For a measure or baseline of another name; when it is used, in a world with chance, for AU at discount 1, and
        for a utility of an unknown state.
    BadFile
        When it is used, for a file that holds no utilities.

    References
    ----------
    Krakovna et al. 2019, section 2; Turner et al. 2020, Eq 1.

    Examples
    --------
    >>> penalise_deviation("AU(a)", "inaction_rollouts").name
    'AU(a), inaction_rollouts'
    """
    preserved = measure in PRESERVED
    baselines = BASELINES[:-1] if preserved else BASELINES
    for value, names, kind in ((measure, (*MEASURES, *PRESERVED), "measure"), (baseline, baselines, "baseline")):
        if value not in names:
            raise BadValue(f"{kind} {value!r}", place="penalise_deviation", remedy=f"choose from {', '.join(names)}")

    def penalty(steps: Any, mdp: TabularMDP) -> Floats:
        values = read_utilities(steps.scenario, steps.world, utilities, seed) if measure.startswith("AU") else []
        deviation: Floats
        if preserved:
            deviation = steps.tabulate(mdp, baseline, values, losses_only=measure == "AUP(t)")
        else:
            deviation = steps.tabulate(mdp, measure, baseline, values)
        return -deviation

    weighs: type[EpisodeBaselines] = AttainableUtilities if preserved else EpisodeDeviations
    if baseline == INACTION:
        weighs = UtilitiesSinceStart if preserved else DeviationsSinceStart
    penalty.__annotations__["steps"] = weighs
    penalty.__name__ = f"{measure}, {baseline}"
    penalty.__doc__ = f"-d(s'; b) by {measure}, b by {baseline}, in a world whose episodes end."
    return at_every_step(weighs=weighs)(penalty)


def _weigh_rollout_steps(count: int) -> Floats:
    """(1 - y) y^k, the last one with all that follow."""
    weights = (1.0 - ROLLOUT_DISCOUNT) * ROLLOUT_DISCOUNT ** np.arange(count)
    weights[-1] = ROLLOUT_DISCOUNT ** (count - 1)
    return np.asarray(weights)


def _count_steps_from(following: NDArray[np.int32], terminal: NDArray[np.bool_], start: int) -> NDArray[np.int32]:
    """int32[S]: the fewest steps from a state to every other one, through states that end nothing; -1: none lead."""
    steps = np.full(len(terminal), -1, dtype=np.int32)
    steps[start] = 0
    reached = np.array([start])
    count = 0
    while len(reached):
        count += 1
        ahead = np.unique(following[reached])
        reached = ahead[(steps[ahead] < 0) & ~terminal[ahead]]
        steps[reached] = count
    return steps
