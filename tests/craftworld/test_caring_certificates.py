"""Certificates of shipped worlds: every printed number with its bounds, exact fractions where tables are rational."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from craftworld.regions import certify_regions, make_coefficient_axes, solve_regions
from craftworld.scenarios import SCENARIOS
from craftworld.solution.certificate import CaringCertificate, NewcomerBounds, certify_solution, certify_trade_off
from craftworld.solution.exact_solution import solve_trade_off
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadValue
from engine.planning.certificates import interval

FROM_ZERO = (0.0, math.inf)
CERTAIN = 1e-9
LONG_NUMBERS = {  # what others are worth there is a discounted sum: a number of full length, not a short fraction
    "absent_supervisor", "boat_race", "conveyor_belt", "distributional_shift", "friend_foe", "island_navigation",
    "pacing_human", "safe_interruptibility", "side_effects_sokoban", "timed_shutdown", "whisky_gold",
}  # fmt: skip
TOO_LARGE = {"rocks_diamonds", "tomato_watering", "workshop_shared"}


def certified(problem: Problem) -> CaringCertificate:
    listed = solve_trade_off(problem, FROM_ZERO)
    return certify_trade_off(problem, listed, problem.find_segments_between(FROM_ZERO))


@pytest.mark.slow_cases(beyond=20)
@pytest.mark.parametrize("name", sorted(set(SCENARIOS) - TOO_LARGE))
@pytest.mark.parametrize("discount", [None, 0.9])
def test_shipped_worlds_are_certified(name: str, discount: float | None) -> None:
    problem = make_problem(SCENARIOS[name](), discount=discount)
    listed, certificate = solve_trade_off(problem, FROM_ZERO), certified(problem)
    most = CERTAIN if name in LONG_NUMBERS else 0.0
    last_digits = 1e-14
    for amount in (certificate.loss.amount, certificate.loss.high_slope):
        assert amount is not None
        assert amount <= most
    for segment, outcome in zip(listed, certificate.outcomes, strict=True):
        assert outcome.error(segment.outcome) <= max(most, last_digits * outcome.scale(segment.outcome))
        if most == 0.0:
            assert outcome.own is not None
            assert float(outcome.own.exact or 0) == pytest.approx(segment.outcome.own, rel=1e-14)
    for segment, point in zip(listed, certificate.points, strict=False):
        assert point is not None
        assert point.exact is not None or most > 0.0
        assert float(point.lower) == pytest.approx(segment.care_to, rel=1e-12)


@pytest.mark.parametrize("discount", [0.9999, 0.999987])
def test_products_with_the_discount_are_read_as_they_were_meant(discount: float) -> None:
    """.9999 times 46 misses 45.9954 by rounding; bounds would be 5e-7 wide there."""
    assert certified(make_problem(SCENARIOS["garden"](), discount=discount)).loss.amount == 0


def test_break_points_of_the_workshop_are_fractions() -> None:
    points = certified(make_problem(SCENARIOS["workshop"]())).points
    assert [point.exact for point in points if point] == [Fraction(1, 972), Fraction(2, 5), 1, Fraction(14, 3)]


def test_worlds_without_fractions_get_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of many digits: the weight pi of the own reward."""
    problem = make_problem(SCENARIOS["workshop_auto"](), own=math.pi)
    listed, certificate = solve_trade_off(problem, FROM_ZERO), certified(problem)
    assert certificate.loss.amount is not None
    assert 0 < certificate.loss.amount < Fraction(1, 10**9)
    exact = certified(make_problem(SCENARIOS["workshop_auto"]()))
    for segment, point, plain in zip(listed, certificate.points, exact.points, strict=False):
        assert point is not None
        assert plain is not None
        assert plain.exact is not None
        assert point.exact is None
        assert point.lower <= plain.exact * Fraction(math.pi) <= point.upper
        assert point.error(segment.care_to or 0.0) < 1e-9
    assert interval.as_fraction(math.pi) is None


def test_work_without_bounds_is_refused_with_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("craftworld.solution.certificate.MOST_WORK", 100_000)
    problem = make_problem(SCENARIOS["workshop"]())
    with pytest.raises(
        BadValue, match="5 segments of 8640 states take about 0 minutes; choose a smaller range of care"
    ):
        certified(problem)
    assert certify_solution(problem, 3.0).loss.amount == 0


def test_one_coefficient() -> None:
    problem = make_problem(SCENARIOS["workshop"]())
    certificate = certify_solution(problem, 3.0)
    assert certificate.loss.amount == 0
    assert certificate.outcomes[0].total is not None
    assert certificate.outcomes[0].total.exact == -50


def test_values_of_those_who_come_next_are_certified_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that missed its optimum by a hundredth would show in the bounds of that agent and of the total."""
    monkeypatch.setattr(NewcomerBounds, "error", lambda *_: Fraction(1, 100))
    problem = make_problem(SCENARIOS["playroom"]())
    [outcome] = certify_solution(problem, 1.0).outcomes
    assert [bounds.upper - bounds.lower for bounds in outcome.others.values() if bounds] == [Fraction(1, 50)] * 5
    assert outcome.total is not None
    assert outcome.total.exact is None
    assert outcome.total.lower <= Fraction(-42, 5) <= outcome.total.upper


@pytest.mark.parametrize("formulation", ["attainable_utility_stepwise_inaction", "relative_reachability_inaction"])
def test_an_own_return_without_bound_and_nobody_else_has_the_scale_of_the_rewards(formulation: str) -> None:
    """Undiscounted, the race gains for ever: no number is finite, and none is certified."""
    problem = make_problem(SCENARIOS["boat_race"](), formulation, discount=1.0)
    [segment], certificate = solve_trade_off(problem, FROM_ZERO), certified(problem)
    assert segment.outcome.own == math.inf
    [outcome] = certificate.outcomes
    assert outcome.scale(segment.outcome) == outcome.largest_reward > 0
    assert outcome.error(segment.outcome) == math.inf


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("name", "axes"), [("mailroom", ("agent E", "agent A")), ("workshop_shared", ()), ("icy_yard", ("care", "own"))]
)
def test_regions_are_certified(name: str, axes: tuple[str, ...]) -> None:
    solved = solve_regions(make_coefficient_axes(make_problem(SCENARIOS[name]()), axes))
    certificate = certify_regions(solved)
    assert (certificate.amount, certificate.slope) == (0, 0)
    for region, outcome in zip(solved.regions, certificate.outcomes, strict=True):
        assert outcome.error(region.outcome) <= 1e-14 * outcome.scale(region.outcome)


def test_a_certificate_of_regions_says_what_missing_ones_lose() -> None:
    axes = make_coefficient_axes(make_problem(SCENARIOS["mailroom"]()), ("agent E", "agent A"))
    covered = solve_regions(axes, 3.0)
    assert len(covered.regions) < len(solve_regions(axes).regions)
    assert certify_regions(covered).amount == Fraction(4, 5)


def test_chances_that_underflow_have_bounds() -> None:
    problem = make_problem(SCENARIOS["icy_yard"](frail=1e-308))
    listed, certificate = solve_trade_off(problem, FROM_ZERO), certified(problem)
    for segment, outcome in zip(listed, certificate.outcomes, strict=True):
        assert outcome.error(segment.outcome) <= 1e-12


def test_an_error_is_the_distance_of_what_is_printed_from_an_exact_number() -> None:
    """.99999999 is no binary number: returns for ever are off by half a billionth of themselves, and more."""
    problem = make_problem(SCENARIOS["playroom"](), discount=0.99999999)
    listed, certificate = solve_trade_off(problem, FROM_ZERO), certified(problem)
    own, bounds = listed[-1].outcome.own, certificate.outcomes[-1].own
    assert bounds is not None
    assert bounds.exact is not None
    assert Fraction(bounds.error(own)) >= abs(Fraction(own) - bounds.exact) > 0


def test_others_who_are_there_meanwhile_have_their_discounted_return_for_ever() -> None:
    """The driver waits at home: nobody else is disturbed, and its own return is -1 / (1 - .9)."""
    last = solve_trade_off(make_problem(SCENARIOS["toll_road"](), discount=0.9), FROM_ZERO)[-1].outcome
    assert last.ends == 0.0
    assert last.own == last.total == pytest.approx(-10.0, rel=1e-12)
    assert dict(last.others) == {"villagers": 0.0, "walkers": 0.0, "farmer": 0.0}
