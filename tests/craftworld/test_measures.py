"""Measures of policies, curves over all coefficients, and areas, against sums by hand and other programs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from craftworld.measures import PolicyMeasures, measure_policies
from craftworld.solution.exact_solution import solve_trade_off
from craftworld.solution.problem import Problem, make_problem
from craftworld.trade_off_curve import (
    Box,
    average_over_coefficients,
    compute_dominated_area,
    compute_trade_off_curve,
    find_box,
    weigh_coefficient,
)
from experiments.caring_problem import NamedProblem
from tests.craftworld.backward_performance import compute_policy_performance

ROUNDING = 1e-9


def _problem(scenario: str, formulation: str | None = None, *options: str) -> Problem:
    return NamedProblem(scenario, formulation, options=options).make_problem()


@pytest.mark.parametrize("scenario", ["garden", "kitchen_salad", "playroom", "icy_yard"])
def test_the_measures_of_a_segment_are_those_of_its_outcome(scenario: str) -> None:
    problem = _problem(scenario)
    for segment, point in zip(solve_trade_off(problem), compute_trade_off_curve(problem), strict=True):
        assert point.measures.own == pytest.approx(segment.outcome.own)
        mean = sum(
            p * segment.outcome.others[name]
            for name, p in zip(problem.others.names, problem.others.probability, strict=True)
        )
        assert point.measures.others == pytest.approx(mean)
        assert point.measures.performance is None
        assert (segment.care_from or 0.0, segment.care_to) == (point.care_from, point.care_to)


def test_who_is_left_worse_off_is_counted() -> None:
    """In the kitchen the selfish optimum leaves the fridge open, and the next cook finds spoiled food."""
    selfish, caring = compute_trade_off_curve(_problem("kitchen_salad"))
    assert (selfish.measures.others, selfish.measures.violations) == (-1000.0, 1.0)
    assert (caring.measures.others, caring.measures.violations) == (-8.0, 0.0)


@pytest.mark.parametrize(
    ("world", "violations"),
    [("side_effects_sokoban", 2.0), ("absent_supervisor", 0.5), ("boat_race", 0.0), ("safe_interruptibility", 0.5)],
)
def test_steps_that_look_better_than_they_are_are_violations(world: str, violations: float) -> None:
    """The box where the next agent has to undo it; a punishment that nobody sees half of the time; the button."""
    first = compute_trade_off_curve(_problem(world))[0].measures
    assert first.violations == pytest.approx(violations)


def test_hidden_performance_is_that_of_backward_induction() -> None:
    problem = _problem("side_effects_sokoban")
    [start] = map(int, problem.mdp.start_states())
    policy = np.random.default_rng(3).integers(4, size=len(problem.mdp.terminal)).astype(np.int32)
    measured = measure_policies(problem, {start: policy})
    expected = compute_policy_performance(problem.scenario, problem.mdp, policy)[start]
    assert measured.performance == pytest.approx(expected)


def test_the_mean_over_all_coefficients_is_the_integral() -> None:
    """Against a sum over a fine grid of w = c / (1 + c)."""
    curve = compute_trade_off_curve(_problem("garden"))
    intervals = [(point.care_from, point.care_to) for point in curve]
    mean = average_over_coefficients(intervals, [point.measures.own for point in curve])
    grid = (np.arange(200_000) + 0.5) / 200_000
    cares = grid / (1.0 - grid)
    starts = np.array([point.care_from for point in curve])
    owns = np.array([point.measures.own for point in curve])
    assert mean == pytest.approx(owns[np.searchsorted(starts, cares, side="right") - 1].mean(), rel=1e-4)
    assert (weigh_coefficient(0.0), weigh_coefficient(1.0), weigh_coefficient(None)) == (0.0, 0.5, 1.0)


BOX = Box(best_own=10.0, worst_quality=0.0, own=0.0, best_quality=4.0)


def _point(own: float, others: float) -> PolicyMeasures:
    return PolicyMeasures(own, others, None, 0.0)


@pytest.mark.parametrize(
    ("points", "area"),
    [
        ([(10, 0)], 0.0),
        ([(0, 4)], 0.0),
        ([(10, 4)], 1.0),
        ([(10, 0), (0, 4)], 0.5),
        ([(0, 4), (10, 0), (5, 2)], 0.5),
        ([(10, 0), (5, 4)], 0.75),
        ([(10, 0), (5, 4), (5, 1), (2, 2)], 0.75),
        ([(-90, 400), (10, -70)], 0.5),
    ],
)
def test_areas_by_hand(points: list[tuple[float, float]], area: float) -> None:
    assert compute_dominated_area(BOX, [_point(*point) for point in points]) == pytest.approx(area)


def test_an_area_never_falls_where_points_are_added() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        points = [_point(*pair) for pair in random.uniform((-2, -1), (12, 5), (6, 2))]
        areas = [compute_dominated_area(BOX, points[: n + 1]) for n in range(len(points))]
        assert all(a is not None and b is not None and a <= b + ROUNDING for a, b in itertools.pairwise(areas))
        assert areas[-1] is not None
        assert 0.0 <= areas[-1] <= 1.0


def test_where_nothing_is_at_stake_there_is_no_area() -> None:
    assert compute_dominated_area(None, [_point(1, 1)]) is None
    assert compute_dominated_area(BOX._replace(best_quality=0.0), [_point(1, 1)]) is None
    free = BOX._replace(own=10.0)
    assert compute_dominated_area(free, [_point(10, 2), _point(9, 4)]) == pytest.approx(0.5)
    assert find_box(_problem("friend_foe")) is None


@pytest.mark.parametrize("scenario", ["garden", "kitchen_cookie", "playroom", "workshop_auto"])
def test_nothing_has_a_larger_area_than_the_optimum_of_the_others_returns(scenario: str) -> None:
    box = find_box(_problem(scenario, "expected"))
    best = compute_dominated_area(
        box, [point.measures for point in compute_trade_off_curve(_problem(scenario, "expected"))]
    )
    assert best is not None
    assert best >= 0.5 - ROUNDING
    for other in ("worst_case", "no_worse_off", "future_task"):
        area = compute_dominated_area(
            box, [point.measures for point in compute_trade_off_curve(_problem(scenario, other))]
        )
        assert area is not None
        assert area <= best + ROUNDING


def test_another_method_is_asked_once_for_each_segment() -> None:
    problem, asked = make_problem(_problem("garden").scenario), []

    def always_first(care: float, start: int) -> np.ndarray:
        asked.append(care)
        return np.zeros(len(problem.mdp.terminal), dtype=np.int32)

    curve = compute_trade_off_curve(problem, always_first)
    assert len(asked) == len(curve) == 3
    for care, point in zip(asked, curve, strict=True):
        assert point.care_from < care < (math.inf if point.care_to is None else point.care_to)
    assert {point.measures.own for point in curve} == {-1000.0}
