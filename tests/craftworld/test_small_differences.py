"""Returns that differ in their last digits, and coefficients that do: one rule for each, the same in every answer."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import (
    CaringSegment,
    find_break_points,
    find_coverage,
    find_ties,
    solve,
    solve_trade_off,
)
from craftworld.solution.problem import Problem, make_problem
from engine.planning.trade_off.envelope import Line, Segment, move_points, unite_points

EVERYWHERE = -math.inf, math.inf
SALAD = """
#####
#A S#
#   #
# FE#
#####
"""


def salad() -> Problem:
    """A kitchen in which everything counts a hundredth of the step before: what is done last is worth 1e-12."""
    kind = SCENARIOS["kitchen_salad"]
    return make_problem(kind(kind.parse_map(SALAD)), "per_agent", discount=0.01)


def test_a_policy_that_earns_more_by_the_last_digits_has_a_segment() -> None:
    """Leaving the fridge open costs 1000, closing it a step, each at the end of the way; the way out is never worth it
    beyond 50 / 297. The points follow from 1e-12 (step) against 1e-9 (1000), and 6e-14 (what then remains).
    """
    points = find_break_points(salad(), (-1.0, 1.0))
    assert points == [pytest.approx(50 / 49997, rel=1e-9), pytest.approx(50 / 297, rel=1e-9)]
    others = [segment.outcome.others["next cook"] for segment in solve_trade_off(salad(), (-1.0, 1.0))]
    assert others[:2] == [-1000.0, -6.0]
    assert math.isnan(others[2])


@pytest.mark.parametrize("care", [0.0009, 0.001001, 0.0010090709, 0.01, 0.16, 0.17])
def test_one_coefficient_alone_is_solved_as_in_its_segment(care: float) -> None:
    problem = salad()
    inside = next(one for one in solve_trade_off(problem, (-1.0, 1.0)) if contains(one, care))
    alone = solve(salad(), care)[0]
    assert alone.own == pytest.approx(inside.outcome.own, rel=1e-15)
    assert alone.others == pytest.approx(inside.outcome.others, nan_ok=True)


def contains(segment: CaringSegment, care: float) -> bool:
    assert segment.care_from is not None
    assert segment.care_to is not None
    return segment.care_from <= care < segment.care_to


def test_only_what_ties_is_said_to_tie() -> None:
    """At the end of the range, and with a third policy that is worse by 1e-14."""
    assert [tie.care for tie in find_ties(salad(), (-1.0, 1.0))] == find_break_points(salad(), (-1.0, 1.0))
    assert all(len(tie.lines) == 2 for tie in find_ties(salad(), (-1.0, 1.0)))


@pytest.mark.parametrize(
    ("name", "formulation", "epsilon"),
    [
        ("absent_supervisor", "attainable_utility_stepwise_inaction", 1.0),
        ("friend_foe", "attainable_utility_stepwise_inaction", 1.0),
        ("absent_supervisor", "relative_reachability_inaction_rollouts", 0.0),
    ],
)
def test_several_start_states_have_common_points(name: str, formulation: str, epsilon: float) -> None:
    """Their points differ by rounding: no segment lies between them, and every one is a tie."""
    problem = make_problem(SCENARIOS[name](), formulation, discount=0.99)
    assert len(problem.mdp.start_states()) > 1
    segments = solve_trade_off(problem, EVERYWHERE, epsilon)
    points = [one.care_to for one in segments[:-1] if one.care_to is not None]
    assert [tie.care for tie in find_ties(problem, EVERYWHERE, epsilon)] == points
    assert all(high - low > 1e-9 * abs(high) for low, high in itertools.pairwise(points))
    assert set(find_coverage(problem, EVERYWHERE).limits) <= set(find_break_points(problem))


def test_of_points_that_differ_by_rounding_the_simplest_stands_for_all() -> None:
    near = 1.0 - 4e-12
    assert unite_points([near, 1.0, 1.5], (0.0, math.inf)) == {
        0.0: 0.0,
        near: 1.0,
        1.0: 1.0,
        1.5: 1.5,
        math.inf: math.inf,
    }
    third = float(Fraction(1, 3))
    assert unite_points([third, third + 1e-12], EVERYWHERE)[third + 1e-12] == third


def test_the_ends_of_a_range_stand_for_themselves() -> None:
    low, high = 0.1 + 2e-13, 0.3 - 1e-12
    assert unite_points([0.1, 0.3], (low, high)) == {0.1: low, low: low, high: high, 0.3: high}
    tiny = 1.0, 1.0 + 1e-12
    assert unite_points([1.0 + 5e-13], tiny) == {tiny[0]: 1.0, 1.0 + 5e-13: 1.0, tiny[1]: tiny[1]}


def test_a_segment_narrower_than_rounding_leaves_its_ties() -> None:
    lines = [Line(0.0, 0.0), Line(-1.0, 1.0), Line(-2.0, 2.0)]
    edges = [-math.inf, 1.0 - 1e-13, 1.0, math.inf]
    segments = [
        Segment(start, stop, line, ties=tuple(lines[max(n - 1, 0) : n + 1]) if n else ())
        for n, ((start, stop), line) in enumerate(zip(itertools.pairwise(edges), lines, strict=True))
    ]
    first, last = move_points(segments, unite_points(edges, EVERYWHERE))
    assert (first.stop, last.start) == (1.0, 1.0)
    assert (first.line, last.line) == (lines[0], lines[2])
    assert last.ties == tuple(lines)
