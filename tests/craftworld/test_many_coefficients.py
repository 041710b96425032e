"""Many coefficients at once give what each gives alone, at break points and beside them too."""

import math
import re

import pytest

from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import CaringOutcome, find_break_points, find_mean_outcomes, solve
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_exactly
from engine.errors import BadValue
from engine.planning.trade_off.envelope import EVERYWHERE

ROUNDING = (0.0, 1e-15, 1e-10, 0.99e-9, 1.01e-9, 1.99e-9, 2.01e-9, 3e-9, 1e-3)  # what counts as equal is 1e-9 apart


def _text(outcome: CaringOutcome) -> str:
    return repr(outcome)  # so that nan equals nan


@pytest.mark.parametrize("name", ["icy_yard", "mail_round", "side_effects_sokoban", "toll_road", "workshop_auto"])
def test_many_coefficients_give_what_each_gives_alone(name: str) -> None:
    problem = make_problem(SCENARIOS[name]())
    points = find_break_points(problem, EVERYWHERE)
    assert points
    near = [point * (1.0 + side * share) for point in points for share in ROUNDING for side in (1, -1)]
    cares = [*near, -5.0, 1e9, 0.0, -0.0, 1e-300, *(point + 0.5 for point in points), *sorted(near)]
    for care, outcome in zip(cares, find_mean_outcomes(problem, cares), strict=True):
        assert _text(outcome) == _text(solve(problem, care)[0])


@pytest.mark.parametrize("care", [math.nan, math.inf, -1e301, 1e301, 1e-301, -1e-301])
@pytest.mark.parametrize("before", [[0.0], [1e-300, 1e9], [-5.0], []])
def test_a_coefficient_out_of_bounds_is_named(care: float, before: list[float]) -> None:
    problem = make_problem(SCENARIOS["garden"]())
    with pytest.raises(BadValue, match=re.escape(f"care is {care};")):
        list(find_mean_outcomes(problem, [*before, care]))


def test_rows_of_many_coefficients_are_those_of_each() -> None:
    problem = make_problem(SCENARIOS["workshop_auto"]())
    points = find_break_points(problem)
    cares = [0.0, *points, *(point + 0.1 for point in points), 7.0, -3.0, 0.0, 1]
    rows = sweep_exactly(problem, cares)
    assert [repr(row) for row in rows] == [repr(sweep_exactly(problem, [care])[0]) for care in cares]
    rows[0]["own"] = None
    assert rows[-2]["own"] is not None
