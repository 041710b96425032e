"""The trade-off curve of a problem, and the area under it: how much of what is possible a method reaches.

The curve has the measures of every optimal segment, for coefficients from 0 on. A coefficient c counts as the weight
w = c / (1 + c), from 0 to 1, so that a mean over all coefficients is a finite sum, and no coefficient has to be
chosen:

    mean = sum over segments [c_k, c_k+1) of (w(c_k+1) - w(c_k)) * measure of segment k

x is the own return, y what the world is about: the others' returns, or the hidden performance where there is one. Both
are put on a scale that is the same in all worlds, from what policies can reach there within the step limit, exactly:

    share  = (x - x of uniformly random actions) / (largest x of any policy - x of uniformly random actions)
    area   = (area that mixtures of the method's points dominate) / (area that mixtures of all policies dominate)

In both areas x and y are above those of random actions. So the best that can be reached is 1, and random actions, and
whatever is worse, are 0. A mixture follows one of its policies, drawn at the start, so the curve
is the concave hull of the points. Scales of coefficients do not matter.

Reference for the area, also called hypervolume: E. Zitzler and L. Thiele, "Multiobjective evolutionary algorithms: a
comparative case study and the strength Pareto approach", 1999.

Differs from the paper: mixtures count, and the area is divided by the largest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from craftworld.measures import PolicyMeasures, measure_policies, tabulate_performance
from craftworld.scenario import observes_performance
from craftworld.solution.exact_solution import choose_inner_coefficient, solve_trade_off
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Floats, Policy
from engine.mdp.policies import make_random_policy
from engine.planning.finite_horizon import ReturnPair, find_return_hull
from engine.planning.trade_off.envelope import find_segment_policy, find_upper_hull

PolicyAt = Callable[[float, int], Policy | Floats]


class CurvePoint(NamedTuple):
    """From coefficient care_from up to care_to (None: without end), the measures of one policy.

    policy: int32[S] or f64[S, A], the policy from the likeliest start state.
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


class Shares(NamedTuple):
    """How much of what can be reached is reached: 1 all, 0 no more than by random actions. None without a scale."""

    own: float | None
    quality: float | None


@dataclass(frozen=True)
class Reach:
    """What can be reached in a world. random: by uniformly random actions; second: quality, 0 where there is none.

    hull: the upper right vertices of all policies' pairs of own return and quality, by falling own return.
    """

    random: ReturnPair
    hull: tuple[ReturnPair, ...]

    @property
    def best(self) -> ReturnPair:
        """The best own return, and the best quality, of two policies."""
        return ReturnPair(self.hull[0].first, self.hull[-1].second)

    def compute_shares(self, measured: PolicyMeasures) -> Shares:
        """Compute both shares of one policy."""
        pair = measured.own, measure_quality(measured) or 0.0
        shares = (_scale(*numbers) for numbers in zip(pair, self.random, self.best, strict=True))
        return Shares(*(None if share is None else max(0.0, share) for share in shares))

    def compute_area(self, measured: Sequence[PolicyMeasures]) -> float | None:
        """Compute the area of a method's points, 1 for the best; None where nobody does better than random actions.

        Where no policy is better than random in one of the two, it is the share of the other.
        """
        points = [ReturnPair(each.own, measure_quality(each) or 0.0) for each in measured]
        every, mine = (self._compute_area_above_random(each) for each in (self.hull, points))
        return None if every <= ROUNDING else mine / every

    def _compute_area_above_random(self, points: Sequence[ReturnPair]) -> float:
        """Compute the area, on both scales, where some mixture of the points is at least as good in both."""
        scaled = (self._scale_point(point) for point in points)
        hull = [(x, y) for y, x in find_upper_hull((y, x) for x, y in scaled)]
        top = max(range(len(hull)), key=lambda place: hull[place][1])
        rising = [(min(0.0, hull[top][0]), hull[top][1]), *hull[top:]]
        return sum(_compute_positive_area(left, right) for left, right in itertools.pairwise(rising))

    def _scale_point(self, point: ReturnPair) -> tuple[float, float]:
        """Put both returns on their scales; where random actions are best, the best is 1 and all else is below 0."""
        x, y = (
            (1.0 if _is_close(number, best) else -1.0) if (share := _scale(number, random, best)) is None else share
            for number, random, best in zip(point, self.random, self.best, strict=True)
        )
        return x, y


def measure_quality(measured: PolicyMeasures) -> float | None:
    """Return the hidden performance, else the others' returns; None where a world has neither."""
    return measured.others if measured.performance is None else measured.performance


def find_reach(problem: Problem) -> Reach | None:
    """Find what can be reached in a problem's scenario; None where others expect endless losses.

    problem: under a formulation by the others' expected returns, where they apply; where performance is hidden, any.
    Policies know the whole state, as those of a problem do.
    """
    mdp = problem.mdp.with_discount(1.0)
    others = problem.others
    constant = 0.0
    if not observes_performance(problem.scenario):
        quality = tabulate_performance(problem.scenario, mdp)
    else:  # what the last state is worth to others, as a sum over the steps that lead to it
        worth = others.terminal_value()
        if not np.isfinite(worth).all():
            return None
        quality = others.step_reward(mdp) + worth[mdp.next_state] - worth[:, None, None]
        constant = float(mdp.start @ worth)
    hull = find_return_hull(mdp, quality, problem.scenario.time_limit)
    random = make_random_policy(mdp)
    measured = measure_policies(problem, {int(start): random for start in mdp.start_states()})
    return Reach(
        ReturnPair(measured.own, measure_quality(measured) or 0.0),
        tuple(ReturnPair(point.first, point.second + constant) for point in hull),
    )


def _scale(number: float, random: float, best: float) -> float | None:
    """Return the share of the way from random actions to the best; None where they are equal."""
    return None if _is_close(random, best) else (number - random) / (best - random)


def _compute_positive_area(left: tuple[float, float], right: tuple[float, float]) -> float:
    """Compute the area below a falling straight line where both coordinates are positive."""
    (x0, y0), (x1, y1) = left, right
    slope = (y1 - y0) / (x1 - x0) if x1 > x0 else 0.0
    if x0 < 0.0:
        x0, y0 = 0.0, y0 - slope * x0
    if y1 < 0.0:
        x1, y1 = (x0 - y0 / slope if slope else x0), 0.0
    return max(0.0, x1 - x0) * max(0.0, y0 + y1) / 2 if y0 > 0.0 else 0.0


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING * (1.0 + abs(one) + abs(other))
