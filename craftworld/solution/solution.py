"""The exact solution of a problem for a range of caring coefficients at once.

`trade_off` gives all optimal segments ("Be Considerate", Figure 1(b), whose transition points the authors found by
hand): own return, each other's value, their total, what is handed over and which actions are taken. A break point
belongs to the segment on its right, the one with the larger auxiliary value; `Tie` says what else would have been as
good there, and `Coverage` which range was solved.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from craftworld.solution.outcome import CaringOutcome, StartOutcome, mean_outcome, outcome_of
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.plain_values import finite_or_none
from engine.planning.trade_off.coefficient_range import EVERYWHERE, Range
from engine.planning.trade_off.segment import Line, Segment

FROM_ZERO: Range = (0.0, math.inf)


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


class Coverage(NamedTuple):
    """Which coefficients were solved. care_from, care_to: the range, None without end.

    limits: coefficients within at which the optimum stops being finite: beyond, a cycle has positive reward.
    """

    care_from: float | None
    care_to: float | None
    limits: tuple[float, ...]


def solve(problem: Problem, care: float) -> tuple[CaringOutcome, tuple[StartOutcome, ...]]:
    """The exact optimum at one coefficient: the mean over the start states, and each of them."""
    cases = []
    for start in map(int, problem.mdp.start_states()):
        outcome = outcome_of(problem, problem.segment(care, start), start)
        state = problem.mdp.states[start]
        cases.append(StartOutcome(problem.scenario.describe(state), float(problem.mdp.start[start]), outcome))
    return mean_outcome(cases), tuple(cases)


def trade_off(problem: Problem, between: Range = FROM_ZERO) -> list[CaringSegment]:
    """All optimal segments of a range of coefficients (-inf and inf for no bound); only the range is solved.

    Raises BadValue where the range holds no interval.
    """
    care_min, care_max = between
    points = break_points(problem, between)
    edges = [care_min, *(point for point in points if care_min < point < care_max), care_max]
    result = []
    for left, right in itertools.pairwise(edges):
        outcome, cases = solve(problem, inner_coefficient(left, right))
        result.append(CaringSegment(finite_or_none(left), finite_or_none(right), outcome, cases))
    return result


def break_points(problem: Problem, between: Range = EVERYWHERE) -> list[float]:
    """Coefficients of a range at which the optimal policy changes from some start state, ascending.

    The ends of the range are among them where they are break points. Raises BadValue where the range holds no interval.
    """
    return sorted({start for segments in _solved(problem, between) for start in _changes(segments, between)})


def ties(problem: Problem, between: Range = EVERYWHERE) -> list[Tie]:
    """What is equally good at each break point."""
    tied: dict[float, set[Line]] = {point: set() for point in break_points(problem, between)}
    for segments in _solved(problem, between):
        for segment in segments:
            if segment.start in tied:
                tied[segment.start].update(segment.ties)
    return [Tie(point, tuple(sorted(lines, key=lambda line: line.auxiliary))) for point, lines in tied.items()]


def coverage(problem: Problem, between: Range = FROM_ZERO) -> Coverage:
    """What `trade_off` covers, and the limits within, where the optimum stops being finite."""
    limits = {
        right.start
        for segments in _solved(problem, between)
        for left, right in itertools.pairwise(segments)
        if math.isinf(left.line.own) != math.isinf(right.line.own) and between[0] <= right.start <= between[1]
    }
    return Coverage(finite_or_none(between[0]), finite_or_none(between[1]), tuple(sorted(limits)))


def _solved(problem: Problem, between: Range) -> list[list[Segment]]:
    """The segments of each start state; BadValue where the range is empty or one point."""
    low, high = between
    if not low < high:
        raise BadValue(f"care from {low} to {high} is empty", place="care", remedy="give a lower and a higher number")
    return list(problem.segments_between(between).values())


def _changes(segments: list[Segment], between: Range) -> list[float]:
    """Where one segment gives way to another within a range that they cover."""
    first = [segment.start for segment in segments[:1] if segment.ties]
    starts = [*first, *(segment.start for segment in segments[1:])]
    return [start for start in starts if between[0] <= start <= between[1]]


def inner_coefficient(left: float, right: float) -> float:
    """A coefficient strictly between two bounds."""
    if math.isinf(left) and math.isinf(right):
        return 0.0
    if math.isinf(left):
        return right - 1.0 - abs(right)
    return left + 1.0 + abs(left) if math.isinf(right) else (left + right) / 2
