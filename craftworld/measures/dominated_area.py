"""The area under a trade-off curve: how much of what is possible a method reaches ("hypervolume").

    area = integral over x from 0 to 1 of the largest y that some mixture of the points reaches at own return x or more

x is the own return, y what the world is about: the others' returns, or the hidden performance where there is one. Both
are scaled to a box that does not depend on the method: 1 is the best that any policy reaches, 0 what it is worth where
the other one is best. A mixture follows one of its policies, drawn at the start, so the curve is the concave hull of
the points. A straight line from one extreme to the other has the area 1/2; scales of coefficients do not matter.

Reference: E. Zitzler and L. Thiele, "Multiobjective evolutionary algorithms: a comparative case study and the strength
Pareto approach", 1999.

Differs from the paper: mixtures count.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from craftworld.measures.policy_measures import PolicyMeasures
from craftworld.measures.trade_off_curve import trade_off_curve
from craftworld.optima import performances, table_optima
from craftworld.rollout import observes_performance
from craftworld.solution.problem import Problem

ROUNDING = 1e-9


class Box(NamedTuple):
    """best_own, worst_quality: of the best own return. own, best_quality: of the best quality."""

    best_own: float
    worst_quality: float
    own: float
    best_quality: float


def quality(measured: PolicyMeasures) -> float | None:
    """What a world is about: the hidden performance, else the others' returns; None where it has neither."""
    return measured.others if measured.performance is None else measured.performance


def box_of(problem: Problem) -> Box | None:
    """The box of a problem's scenario; None where nothing but the own return is measured.

    problem: under a formulation whose optimum is that of the others' expected returns as the coefficient grows; where
    performance is hidden, any. Policies know the whole state, as those of a problem do.
    """
    if not observes_performance(problem.scenario):
        mdp = problem.mdp.with_discount(1.0)
        found = table_optima(mdp, performances(problem.scenario, mdp), problem.scenario.time_limit)
        return Box(found.reward, found.worst_performance, found.its_reward, found.best_performance)
    points = trade_off_curve(problem)
    first, last = points[0].measures, points[-1].measures
    if first.others is None or last.others is None:
        return None
    return Box(first.own, first.others, last.own, last.others)


def dominated_area(box: Box | None, points: Sequence[PolicyMeasures]) -> float | None:
    """The part of a box below the curve of some points, from 0 to 1; None where nothing is at stake.

    Where the best quality costs no own return, it is the best quality among the points of the best own return.
    """
    if box is None or _equal(box.best_quality, box.worst_quality):
        return None
    free = _equal(box.best_own, box.own)
    scaled = []
    for point in points:
        y = quality(point)
        assert y is not None
        if not free:
            scaled.append((_part(point.own, box.own, box.best_own), _part(y, box.worst_quality, box.best_quality)))
        elif point.own >= box.best_own or _equal(point.own, box.best_own):
            scaled.append((1.0, _part(y, box.worst_quality, box.best_quality)))
    if not scaled:
        return 0.0
    hull = _concave([(0.0, max(y for _, y in scaled)), *scaled])
    return sum((right[0] - left[0]) * (left[1] + right[1]) / 2 for left, right in itertools.pairwise(hull))


def _concave(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The upper hull of points, by rising x."""
    hull: list[tuple[float, float]] = []
    for x, y in sorted(points):
        while hull and (hull[-1][0] == x or (len(hull) > 1 and _turns_up(hull[-2], hull[-1], (x, y)))):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_up(one: tuple[float, float], other: tuple[float, float], last: tuple[float, float]) -> bool:
    return (other[0] - one[0]) * (last[1] - one[1]) >= (last[0] - one[0]) * (other[1] - one[1])


def _part(number: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (number - low) / (high - low)))


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING * (1.0 + abs(one) + abs(other))
