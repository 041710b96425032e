"""The trade-off curve of a problem, and the area under it: how much of what is possible a method reaches.

The curve has the measures of every optimal segment, for coefficients from 0 on. A coefficient c counts as the weight
w = c / (1 + c), from 0 to 1, so that a mean over all coefficients is a finite sum, and no coefficient has to be
chosen:

    mean = sum over segments [c_k, c_k+1) of (w(c_k+1) - w(c_k)) * measure of segment k
    area = integral over x from 0 to 1 of the largest y that a mixture of the points reaches at own return x or more

x is the own return, y what the world is about: the others' returns, or the hidden performance where there is one.
Both are scaled to a box that does not depend on the method: 1 is the best that any policy reaches, 0 what it is
worth where the other one is best. A mixture follows one of its policies, drawn at the start, so the curve is the
concave hull of the points. A straight line from one extreme to the other has the area 1/2; scales of coefficients do
not matter.

Reference for the area, also called hypervolume: E. Zitzler and L. Thiele, "Multiobjective evolutionary algorithms: a
comparative case study and the strength Pareto approach", 1999.

Differs from the paper: mixtures count.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from craftworld.measures import PolicyMeasures, find_table_optima, measure_policies, tabulate_performance
from craftworld.rollout import observes_performance
from craftworld.solution.exact_solution import choose_inner_coefficient, solve_trade_off
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Floats, Policy
from engine.planning.trade_off.envelope import find_segment_policy

PolicyAt = Callable[[float, int], Policy | Floats]


class CurvePoint(NamedTuple):
    """From coefficient care_from up to care_to (None: without end), the measures of one policy.

    policy: int32[S] or f64[S, A], the one that acts from the likeliest start state.
    """

    care_from: float
    care_to: float | None
    measures: PolicyMeasures
    policy: Policy | Floats


def compute_trade_off_curve(problem: Problem, policy_at: PolicyAt | None = None) -> list[CurvePoint]:
    """Compute a point for each optimal segment, by rising coefficient.

    policy_at: (coefficient, start state's number) -> int32[S] or f64[S, A], a method to use in place of the exact
    optimum; it is called once for each optimal segment, at a coefficient inside.
    """

    def optimum(care: float, start: int) -> Policy:
        return find_segment_policy(problem.find_segment(care, start), len(problem.mdp.terminal))

    points = []
    starts = [int(start) for start in problem.mdp.start_states()]
    likeliest = max(starts, key=lambda start: float(problem.mdp.start[start]))
    for segment in solve_trade_off(problem):
        low, high = segment.care_from or 0.0, math.inf if segment.care_to is None else segment.care_to
        care = choose_inner_coefficient(low, high)
        policies: dict[int, Any] = {start: (policy_at or optimum)(care, start) for start in starts}
        points.append(CurvePoint(low, segment.care_to, measure_policies(problem, policies), policies[likeliest]))
    return points


def weigh_coefficient(care: float | None) -> float:
    """Return the weight c / (1 + c) of a coefficient, 1 for None."""
    return 1.0 if care is None else care / (1.0 + care)


def average_over_coefficients(intervals: Sequence[tuple[float, float | None]], amounts: Sequence[float]) -> float:
    """Average amounts over consecutive intervals of coefficients that cover 0 to infinity."""
    return math.fsum(
        (weigh_coefficient(high) - weigh_coefficient(low)) * x
        for (low, high), x in zip(intervals, amounts, strict=True)
    )


ROUNDING = 1e-9


class Box(NamedTuple):
    """best_own, worst_quality: of the best own return. own, best_quality: of the best quality."""

    best_own: float
    worst_quality: float
    own: float
    best_quality: float


def measure_quality(measured: PolicyMeasures) -> float | None:
    """Return the hidden performance, else the others' returns; None where a world has neither."""
    return measured.others if measured.performance is None else measured.performance


def find_box(problem: Problem) -> Box | None:
    """Find the box of a problem's scenario; None where nothing but the own return is measured.

    problem: under a formulation whose optimum is that of the others' expected returns as the coefficient grows; where
    performance is hidden, any. Policies know the whole state, as those of a problem do.
    """
    if not observes_performance(problem.scenario):
        mdp = problem.mdp.with_discount(1.0)
        found = find_table_optima(mdp, tabulate_performance(problem.scenario, mdp), problem.scenario.time_limit)
        return Box(found.reward, found.worst_performance, found.its_reward, found.best_performance)
    points = compute_trade_off_curve(problem)
    first, last = points[0].measures, points[-1].measures
    if first.others is None or last.others is None:
        return None
    return Box(first.own, first.others, last.own, last.others)


def compute_dominated_area(box: Box | None, points: Sequence[PolicyMeasures]) -> float | None:
    """Compute the part of a box below the curve of some points, from 0 to 1; None where nothing is at stake.

    Where the best quality costs no own return, it is the best quality among the points of the best own return.
    """
    if box is None or _is_close(box.best_quality, box.worst_quality):
        return None
    free = _is_close(box.best_own, box.own)
    scaled = []
    for point in points:
        y = measure_quality(point)
        assert y is not None
        if not free:
            scaled.append(
                (_scale_to_box(point.own, box.own, box.best_own), _scale_to_box(y, box.worst_quality, box.best_quality))
            )
        elif point.own >= box.best_own or _is_close(point.own, box.best_own):
            scaled.append((1.0, _scale_to_box(y, box.worst_quality, box.best_quality)))
    if not scaled:
        return 0.0
    hull = _find_upper_hull([(0.0, max(y for _, y in scaled)), *scaled])
    return sum((right[0] - left[0]) * (left[1] + right[1]) / 2 for left, right in itertools.pairwise(hull))


def _find_upper_hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Find the upper hull of points, by rising x."""
    hull: list[tuple[float, float]] = []
    for x, y in sorted(points):
        while hull and (hull[-1][0] == x or (len(hull) > 1 and _turns_up(hull[-2], hull[-1], (x, y)))):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_up(one: tuple[float, float], other: tuple[float, float], last: tuple[float, float]) -> bool:
    return (other[0] - one[0]) * (last[1] - one[1]) >= (last[0] - one[0]) * (other[1] - one[1])


def _scale_to_box(number: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (number - low) / (high - low)))


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING * (1.0 + abs(one) + abs(other))
