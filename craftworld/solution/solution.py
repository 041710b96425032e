"""The exact solution of a problem for every caring coefficient at once.

`trade_off` gives all optimal
segments ("Be Considerate", Figure 1(b), whose transition points the authors found by hand): own return, each other's
value, their total, what is handed over and which actions are taken. A break point belongs to the segment on its right,
the one with the larger auxiliary value; `Tie` says what else would have been as good there.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from craftworld.solution.outcome import CaringOutcome, StartOutcome, mean_outcome, outcome_of
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.plain_values import finite_or_none
from engine.planning.trade_off.segment import Line


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


def solve(problem: Problem, care: float) -> tuple[CaringOutcome, tuple[StartOutcome, ...]]:
    """The exact optimum at one coefficient: the mean over the start states, and each of them."""
    if not math.isfinite(care):
        raise BadValue(f"care {care}", place="care", remedy="choose a finite number")
    cases = []
    for start in problem.segments:
        outcome = outcome_of(problem, problem.segment(care, start), start)
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
        result.append(CaringSegment(finite_or_none(left), finite_or_none(right), outcome, cases))
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


def _inside(left: float, right: float) -> float:
    """A coefficient strictly between two bounds."""
    if math.isinf(left) and math.isinf(right):
        return 0.0
    if math.isinf(left):
        return right - 1.0 - abs(right)
    return left + 1.0 + abs(left) if math.isinf(right) else (left + right) / 2
