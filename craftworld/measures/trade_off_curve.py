"""The trade-off curve of a problem: the measures of every optimal segment, for coefficients from 0 on.

A coefficient c counts as the weight w = c / (1 + c), from 0 to 1, so that a mean over all coefficients is a finite sum

    mean = sum over segments [c_k, c_k+1) of (w(c_k+1) - w(c_k)) * measure of segment k

and no coefficient has to be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from craftworld.measures.policy_measures import PolicyMeasures, measures
from craftworld.solution.problem import Problem
from craftworld.solution.solution import inner_coefficient, trade_off
from engine.mdp.mdp import Policy
from engine.planning.certificates.trade_off import policy_of

PolicyAt = Callable[[float, int], Policy]


class CurvePoint(NamedTuple):
    """From coefficient care_from up to care_to (None: without end), the measures of one policy.

    policy: int32[S], the one that acts from the likeliest start state.
    """

    care_from: float
    care_to: float | None
    measures: PolicyMeasures
    policy: Policy


def trade_off_curve(problem: Problem, policy_at: PolicyAt | None = None) -> list[CurvePoint]:
    """A point for each optimal segment, by rising coefficient.

    policy_at: (coefficient, start state's number) -> int32[S], another method than the exact optimum; it is asked once
    for each optimal segment, at a coefficient inside.
    """

    def optimum(care: float, start: int) -> Policy:
        return policy_of(problem.segment(care, start), len(problem.mdp.terminal))

    points = []
    starts = [int(start) for start in problem.mdp.start_states()]
    likeliest = max(starts, key=lambda start: float(problem.mdp.start[start]))
    for segment in trade_off(problem):
        low, high = segment.care_from or 0.0, math.inf if segment.care_to is None else segment.care_to
        care = inner_coefficient(low, high)
        policies = {start: (policy_at or optimum)(care, start) for start in starts}
        points.append(CurvePoint(low, segment.care_to, measures(problem, policies), policies[likeliest]))
    return points


def weight(care: float | None) -> float:
    """c / (1 + c), 1 for None."""
    return 1.0 if care is None else care / (1.0 + care)


def mean_over_coefficients(intervals: Sequence[tuple[float, float | None]], amounts: Sequence[float]) -> float:
    """The mean of what holds in each of some intervals of coefficients that follow one another from 0 to the end."""
    return math.fsum((weight(high) - weight(low)) * x for (low, high), x in zip(intervals, amounts, strict=True))
