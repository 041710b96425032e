"""How much each of the others' values counts, where a formulation of the end is a weighted sum of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from craftworld.formulation import RewardTiming
from craftworld.others.value_distribution import ValueDistribution
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.mdp.mdp import Floats


def others_weights(problem: Problem) -> list[float]:
    """w with F(s) = sum of w_i V_i(s); BadValue where a formulation is no such sum, or care does not multiply it."""
    others, formulation, mdp = problem.weighed, problem.declaration, problem.mdp
    place, remedy = problem.formulation, "its map cannot be changed in the page"
    if not isinstance(others, ValueDistribution) or formulation.reward_timing is not RewardTiming.AT_THE_END:
        raise BadValue("others count by more than the values that they reach", place=place, remedy=remedy)
    reported = problem.others
    same = isinstance(reported, ValueDistribution) and np.array_equal(others.value, reported.value)
    if (mdp.discount, problem.own) != (1.0, 1.0) or others.fixed or not same:
        raise BadValue(
            "rewards are discounted or weighted, or some coefficients stay fixed", place=place, remedy=remedy
        )
    count = len(others.names)
    weights = _valued(problem, others, np.eye(count))
    for value in (others.value, -np.abs(np.arange(count * 3.0).reshape(count, 3) - 2.5)):
        if not np.allclose(_valued(problem, others, value), weights @ value, rtol=1e-12, atol=0.0):
            raise BadValue("it is not a weighted sum of the others' values", place=place, remedy=remedy)
    return [float(weight) for weight in weights]


def _valued(problem: Problem, others: ValueDistribution, value: Floats) -> Floats:
    """F of values f64[N, n]."""
    return np.asarray(problem.declaration.function(replace(others, value=value)), dtype=np.float64)
