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
    Reach,
    average_over_coefficients,
    compute_trade_off_curve,
    find_reach,
    weigh_coefficient,
)
from engine.mdp.mdp import TabularMDP
from engine.planning.finite_horizon import ReturnPair, find_return_hull
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


REACH = Reach(ReturnPair(0.0, 0.0), (ReturnPair(10.0, 0.0), ReturnPair(5.0, 4.0), ReturnPair(0.0, 4.0)))


def _point(own: float, others: float) -> PolicyMeasures:
    return PolicyMeasures(own, others, None, 0.0)


@pytest.mark.parametrize(
    ("points", "area"),
    [
        ([(10, 0)], 0.0),
        ([(0, 4)], 0.0),
        ([(0, 0)], 0.0),
        ([(-3, 4), (10, -2)], 17 / 26 * 17 / 30 / 2 / (3 / 4)),
        ([(10, 0), (0, 4)], 2 / 3),
        ([(0, 4), (10, 0), (5, 2)], 2 / 3),
        ([(10, 0), (5, 4)], 1.0),
        ([(5, 4)], 2 / 3),
        ([(-5, 9), (-1, -1)], 0.0),
    ],
)
def test_areas_by_hand(points: list[tuple[float, float]], area: float) -> None:
    """All that can be reached has the area 3/4 of the square; what is worse than random counts as nothing."""
    assert REACH.compute_area([_point(*point) for point in points]) == pytest.approx(area)


def test_shares_are_0_at_random_and_1_at_the_best() -> None:
    reach = Reach(ReturnPair(-10.0, 2.0), (ReturnPair(10.0, 1.0), ReturnPair(0.0, 4.0)))
    assert reach.compute_shares(_point(10.0, 4.0)) == (1.0, 1.0)
    assert reach.compute_shares(_point(-10.0, 2.0)) == (0.0, 0.0)
    assert reach.compute_shares(_point(-5.0, 1.0)) == (0.25, 0.0)
    assert reach.compute_shares(PolicyMeasures(0.0, 4.0, 3.0, 0.0)) == (0.5, 0.5), "performance is the quality"
    flat = Reach(ReturnPair(0.0, 0.0), (ReturnPair(0.0, 2.0),))
    assert flat.compute_shares(_point(0.0, 1.0)) == (None, 0.5)
    assert flat.compute_area([_point(0.0, 1.0)]) == pytest.approx(0.5)
    assert flat.compute_area([_point(-1.0, 2.0)]) == 0.0
    nothing = Reach(ReturnPair(3.0, 0.0), (ReturnPair(3.0, 0.0),))
    assert nothing.compute_area([_point(3.0, 0.0)]) == pytest.approx(1.0)


def test_an_area_never_falls_where_points_are_added() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        points = [_point(*pair) for pair in random.uniform((-2, -1), (12, 5), (6, 2))]
        areas = [REACH.compute_area(points[: n + 1]) for n in range(len(points))]
        assert all(a is not None and b is not None and a <= b + ROUNDING for a, b in itertools.pairwise(areas))


def test_the_reachable_hull_is_that_of_all_policies() -> None:
    """Every vertex against every plan of three steps in small random worlds, each plan followed by itself."""
    random = np.random.default_rng(7)
    for _ in range(30):
        states, actions, steps = 3, 2, 3
        probability = random.dirichlet(np.ones(2), (states, actions))
        mdp = TabularMDP(
            states=[(number,) for number in range(states)],
            index={(number,): number for number in range(states)},
            actions=("a", "b"),
            next_state=random.integers(states, size=(states, actions, 2)).astype(np.int32),
            probability=probability,
            reward=random.integers(-3, 4, (states, actions, 2)).astype(float),
            terminal=np.zeros(states, dtype=bool),
            start=np.array([1.0, 0.0, 0.0]),
            discount=1.0,
        )
        second = random.integers(-3, 4, (states, actions, 2)).astype(float)
        reached = []
        for plan in itertools.product(range(actions), repeat=states * steps):
            totals = np.zeros((states, 2))
            for step in range(steps):
                chosen = plan[step * states : (step + 1) * states]
                totals = np.array(
                    [
                        sum(
                            mdp.probability[s, a, k]
                            * (np.array([mdp.reward[s, a, k], second[s, a, k]]) + totals[mdp.next_state[s, a, k]])
                            for k in range(2)
                        )
                        for s, a in enumerate(chosen)
                    ]
                )
            reached.append(totals[0])
        hull = np.array(find_return_hull(mdp, second, steps))
        for weight in np.linspace(0.0, 1.0, 101):
            weights = np.array([1.0 - weight, weight])
            assert (hull @ weights).max() == pytest.approx((np.array(reached) @ weights).max())
        for vertex in hull:
            assert np.abs(np.array(reached) - vertex).max(axis=1).min() < ROUNDING


def test_where_others_do_not_count_the_own_return_alone_does() -> None:
    reach = find_reach(_problem("friend_foe"))
    assert reach is not None
    assert len(reach.hull) == 1
    own = PolicyMeasures(reach.best.first, None, None, 0.0)
    assert reach.compute_area([own]) == pytest.approx(1.0)
    assert reach.compute_shares(own) == (pytest.approx(1.0), None)


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize(
    ("scenario", "least"), [("garden", 1.0), ("kitchen_cookie", 1.0), ("playroom", 0.98), ("workshop_auto", 1.0)]
)
def test_nothing_has_a_larger_area_than_the_optimum_of_the_others_returns(scenario: str, least: float) -> None:
    """In the playroom others are best off where the agent stays until the step limit, which the optimum does not."""
    reach = find_reach(_problem(scenario, "expected"))
    assert reach is not None
    curves = {
        name: [point.measures for point in compute_trade_off_curve(_problem(scenario, name))]
        for name in ("expected", "worst_case", "no_worse_off", "future_task")
    }
    areas = {name: reach.compute_area(curve) for name, curve in curves.items()}
    assert areas["expected"] is not None
    assert areas["expected"] >= least - ROUNDING
    assert all(area is not None and area <= areas["expected"] + ROUNDING for area in areas.values())
    for curve in curves.values():
        for measured in curve:
            assert max(reach.compute_shares(measured)) <= 1.0 + ROUNDING  # type: ignore[type-var]


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
