"""Solving a scenario for every caring coefficient at once, in the scenario's own words.

`Problem` ties together a scenario, its table, what the others expect and a formulation. `trade_off` gives all optimal
segments ("Be Considerate", Figure 1(b), whose transition points the authors found by hand): own return, each other's
value, their total, what is handed over and which actions are taken. A break point belongs to the segment on its right,
the one with the larger auxiliary value; `Tie` says what else would have been as good there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from craftworld.formulations import FORMULATIONS
from craftworld.others.applicability import reported_agents, weighed_distribution
from craftworld.others.other_agents import OtherAgents
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Scenario
from craftworld.solution.augmentation import augment, caring_rewards
from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.trade_off import envelope as parametric
from engine.planning.trade_off.envelope import Line, Segment
from engine.registry import spelled
from engine.user_code import place_of, user_code


class CaringOutcome(NamedTuple):
    """What one policy leads to from one start state, or on average over several.

    own: the acting agent's own return. others: newcomer -> its value. total: own + sum_V P(V) V. handover: the final
    state in words, None where it depends on chance or where the policy never ends (the others' values are then nan:
    their turn never comes). actions: names, in order; of an endless policy up to the first repeated state.
    """

    own: float
    others: Mapping[str, float]
    total: float
    handover: Mapping[str, Any] | None
    actions: tuple[str, ...]


class StartOutcome(NamedTuple):
    """One of several start states: its description, its probability, and what happens from there."""

    start: Mapping[str, Any]
    probability: float
    outcome: CaringOutcome


class CaringSegment(NamedTuple):
    """For coefficients from care_from up to care_to (None: without end), what the optimal policy leads to."""

    care_from: float | None
    care_to: float | None
    outcome: CaringOutcome
    cases: tuple[StartOutcome, ...]


class Tie(NamedTuple):
    """A coefficient at which several policies are optimal: their lines, by rising auxiliary value, the last taken."""

    care: float
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Problem:
    """A scenario to solve. others: those whose welfare is reported; weighed: what the formulation weighs, often the
    same; formulation: a registered name; own: alpha_1.
    """

    scenario: Scenario
    mdp: TabularMDP
    others: OtherAgents
    weighed: OtherAgents
    formulation: str
    own: float = 1.0

    def caring_rewards(self, start: int) -> tuple[Floats, Floats]:
        """f64[S, A, K] twice: what is added whatever the care, and for each unit of it, by one start's baseline."""
        return caring_rewards(self.mdp, self.weighed.with_baseline(start), FORMULATIONS[self.formulation])

    def augmented(self, care: float, start: int) -> TabularMDP:
        """The table with the augmented reward, starting in one state."""
        begin = np.zeros_like(self.mdp.start)
        begin[start] = 1.0
        table = augment(self.mdp, self.weighed.with_baseline(start), FORMULATIONS[self.formulation], self.own, care)
        return replace(table, start=begin)

    @cached_property
    def segments(self) -> dict[int, list[Segment]]:
        """Start state's number -> its optimal segments from -inf to inf."""
        result = {}
        for start in map(int, self.mdp.start_states()):
            fixed, swept = self.caring_rewards(start)
            weighted = self.mdp.with_reward(self.own * self.mdp.reward + fixed)
            result[start] = parametric.optimal_segments(weighted, swept, start)
        return result

    def outcome(self, segment: Segment, start: int) -> CaringOutcome:
        """What a segment's policy leads to, in words."""
        if segment.policy is not None and not self.mdp.is_deterministic:
            return self._expected_outcome(segment, start)
        outcome = self.followed(segment)
        if self.mdp.terminal[segment.path[-1]]:
            return outcome
        return outcome._replace(others=dict.fromkeys(self.others.names, math.nan), total=math.nan, handover=None)

    def followed(self, segment: Segment) -> CaringOutcome:
        """What a walk leads to, in words; where the clock cuts it, the others' turn comes all the same."""
        own = _discounted(self.mdp, segment)
        received = self.others.path_returns(self.mdp, segment.path, segment.actions)
        actions = tuple(self.mdp.actions[action] for action in segment.actions)
        return self._outcome(own, received, self.scenario.describe(self.mdp.states[segment.path[-1]]), actions)

    def _expected_outcome(self, segment: Segment, start: int) -> CaringOutcome:
        assert segment.policy is not None
        own = float(evaluate_policy(self.mdp, segment.policy)[start])
        return self._outcome(own, self.others.policy_returns(self.mdp, segment.policy, start), None, ())

    def _outcome(
        self, own: float, received: Floats, handover: Mapping[str, Any] | None, actions: tuple[str, ...]
    ) -> CaringOutcome:
        others = dict(zip(self.others.names, map(float, received), strict=True))
        return CaringOutcome(own, others, own + float(self.others.probability @ received), handover, actions)


def make_problem(
    scenario: Scenario,
    formulation: str | None = None,
    own: float = 1.0,
    others: ValueDistribution | None = None,
    discount: float | None = None,
    mdp: TabularMDP | None = None,
) -> Problem:
    """A problem from a scenario: tabulate it, and work out what the formulation weighs.

    formulation: a registered name or "module:attribute", the scenario's own by default. own: alpha_1. others:
    precomputed values of the newcomers. discount: gamma, the scenario's own by default. mdp: the scenario's table where
    it has been made already, which then decides the discount. Raises UnknownName, BadValue for what does not apply or
    is not finite, and ContractBroken for what the scenario's own code raises.
    """
    if not math.isfinite(own):
        raise BadValue(f"own = {own}", place="own", remedy="choose a finite number")
    name = spelled(formulation or scenario.default_formulation)
    weighs = FORMULATIONS[name].weighs
    if mdp is None:
        with user_code(place_of(scenario)):
            mdp = tabulate(scenario, scenario.discount if discount is None else discount)
    if others is not None and others.value.shape[1] != len(mdp.states):
        raise BadValue(
            f"values of {others.value.shape[1]} states for a table of {len(mdp.states)} states",
            place=scenario.name,
            remedy="precompute them for this table",
        )
    with user_code(place_of(scenario)):
        weighed: Any = others
        if others is None or weighs is not ValueDistribution:
            weighed = weighed_distribution(scenario, mdp, name)
        if weighs is FORMULATIONS[scenario.default_formulation].weighs:
            return Problem(scenario, mdp, weighed, weighed, name, own)
        return Problem(scenario, mdp, reported_agents(scenario, mdp) if others is None else others, weighed, name, own)


def solve(problem: Problem, care: float) -> tuple[CaringOutcome, tuple[StartOutcome, ...]]:
    """The exact optimum at one coefficient: the mean over the start states, and each of them."""
    if not math.isfinite(care):
        raise BadValue(f"care {care}", place="care", remedy="choose a finite number")
    cases = []
    for start, segments in problem.segments.items():
        outcome = problem.outcome(parametric.at(segments, care), start)
        state = problem.mdp.states[start]
        cases.append(StartOutcome(problem.scenario.describe(state), float(problem.mdp.start[start]), outcome))
    return mean_outcome(cases), tuple(cases)


def trade_off(problem: Problem, care_min: float = 0.0, care_max: float = math.inf) -> list[CaringSegment]:
    """All optimal segments between two coefficients (-inf and inf for no bound)."""
    points = break_points(problem, care_min, care_max)
    edges = [care_min, *(point for point in points if care_min < point < care_max), care_max]
    result = []
    for left, right in itertools.pairwise(edges):
        outcome, cases = solve(problem, _inside(left, right))
        result.append(CaringSegment(_finite(left), _finite(right), outcome, cases))
    return result


def break_points(problem: Problem, care_min: float = -math.inf, care_max: float = math.inf) -> list[float]:
    """Coefficients at which the optimal policy changes from some start state, ascending."""
    if not care_min < care_max:
        raise BadValue(f"care from {care_min} to {care_max} is empty", place="care", remedy="raise --care-max")
    starts = {segment.start for segments in problem.segments.values() for segment in segments}
    return sorted(start for start in starts if math.isfinite(start) and care_min <= start <= care_max)


def ties(problem: Problem, care_min: float = -math.inf, care_max: float = math.inf) -> list[Tie]:
    """What is equally good at each break point."""
    result = []
    for point in break_points(problem, care_min, care_max):
        tied: set[Line] = set()
        for segments in problem.segments.values():
            tied.update(line for segment in segments if segment.start == point for line in segment.ties)
        result.append(Tie(point, tuple(sorted(tied, key=lambda line: line.auxiliary))))
    return result


def mean_outcome(cases: Sequence[StartOutcome]) -> CaringOutcome:
    """The mean outcome over start states; handover and actions are given only for a single start state."""
    if len(cases) == 1:
        return cases[0].outcome
    own = sum(case.probability * case.outcome.own for case in cases)
    total = sum(case.probability * case.outcome.total for case in cases)
    names = cases[0].outcome.others
    others = {name: sum(case.probability * case.outcome.others[name] for case in cases) for name in names}
    return CaringOutcome(own, others, total, None, ())


def _discounted(mdp: TabularMDP, segment: Segment) -> float:
    """The own return of a walk; -inf or its geometric limit where the walk never ends."""
    if segment.policy is not None and not mdp.terminal[segment.path[-1]]:
        return float(evaluate_policy(mdp, segment.policy)[segment.path[0]])
    result = 0.0
    for state, action in reversed(list(zip(segment.path, segment.actions, strict=False))):
        result = float(mdp.reward[state, action, 0]) + mdp.discount * result
    return result


def _inside(left: float, right: float) -> float:
    """A coefficient strictly between two bounds."""
    if math.isinf(left) and math.isinf(right):
        return 0.0
    if math.isinf(left):
        return right - 1.0 - abs(right)
    return left + 1.0 + abs(left) if math.isinf(right) else (left + right) / 2


def _finite(bound: float) -> float | None:
    return None if math.isinf(bound) else bound
