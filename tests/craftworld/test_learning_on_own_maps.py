"""Learning on maps that nobody tuned it for: random walls and places, several scenarios, seeds and coefficients."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from craftworld.scenario import Scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.learning import choose_acting_learning, choose_newcomer_learning
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_by_learning, warn_of_learning
from engine.errors import MapError
from engine.learning.q_learning import count_enough_steps, count_pairs

PLACES = {"workshop": "EXKKTWF", "workshop_auto": "EXKKTWF", "garden": "SGg", "playroom": "SDPPPABC"}
PLACES |= {"mailroom": "SM12C", "icy_yard": "GELS~~~~~~~~~~~~"}
WALLS, SHARE = 0.2, 0.97


def random_map(name: str, size: int, seed: int) -> Scenario:
    """A scenario on a square map with random walls, on which everything can be reached."""
    kind, numbers = SCENARIOS[name], np.random.default_rng([seed, size])
    while True:
        drawing = np.full((size, size), "#")
        drawing[1:-1, 1:-1] = np.where(numbers.random((size - 2, size - 2)) < WALLS, "#", " ")
        floor = np.argwhere(drawing == " ")
        for glyph, place in zip(PLACES[name], numbers.permutation(len(floor)), strict=False):
            drawing[tuple(floor[place])] = glyph
        try:
            return kind(kind.parse_map("\n".join("".join(row) for row in drawing) + "\n"))
        except MapError:
            continue


def rows_on(name: str, size: int, seed: int, cares: tuple[float, ...], formulation: str | None = None) -> list[Any]:
    return sweep_by_learning(make_problem(random_map(name, size, seed), formulation), cares, (seed,))


@pytest.mark.slow_cases(beyond=5)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", PLACES)
def test_small_random_maps_are_learned(name: str, seed: int) -> None:
    rows = rows_on(name, 12, seed, (0.3, 5.0))
    assert [(row["regret"], row["others_error"]) for row in rows] == [(0.0, 0.0)] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "formulations"),
    [
        ("workshop", (None,)),
        ("workshop_auto", (None, "worst_case")),
        ("garden", (None, "least_well_off")),
        ("playroom", (None, "worst_case", "no_worse_off")),
        ("mailroom", (None,)),
        ("icy_yard", (None,)),
    ],
)
def test_large_random_maps_are_learned(name: str, formulations: tuple[str | None, ...]) -> None:
    rows = [row for formulation in formulations for row in rows_on(name, 20, 7, (0.3, 20.0), formulation)]
    optimal = [row["regret"] == 0.0 and row["others_error"] == 0.0 for row in rows]
    assert sum(optimal) >= SHARE * len(optimal)


def test_steps_follow_from_the_size_of_the_world() -> None:
    """As many steps a pair everywhere; on the paper's own map the rule gives a little less than the paper's number."""
    paper = make_problem(SCENARIOS["workshop"]()).mdp
    assert count_enough_steps(paper, 1_000) == 6 * count_pairs(paper) == pytest.approx(700_000, rel=0.05)
    large = make_problem(random_map("workshop", 20, 0)).mdp
    assert count_enough_steps(large, 1_000) == 6 * count_pairs(large) > 1_500_000
    [row] = sweep_by_learning(make_problem(random_map("workshop", 20, 0)), (0.5,), (0,))
    assert row["steps_taken"] == count_enough_steps(large, 1_000)


def test_what_was_not_learned_is_said_and_the_steps_named_are_enough() -> None:
    problem = make_problem(random_map("workshop_auto", 15, 3))
    short = choose_acting_learning(problem.scenario, 5_000), choose_newcomer_learning(problem.scenario, 5_000)
    rows = sweep_by_learning(problem, (0.5, 5.0), (0,), *short)
    said = warn_of_learning(rows, problem, *short)
    assert said is not None
    steps, others_steps = (int(re.findall(rf"\b{name}=(\d+)", said)[0]) for name in ("steps", "others_steps"))
    long = choose_acting_learning(problem.scenario, steps), choose_newcomer_learning(problem.scenario, others_steps)
    again = sweep_by_learning(problem, (0.5, 5.0), (0,), *long)
    assert warn_of_learning(again, problem, *long) is None
    assert {row["regret"] for row in again} == {row["others_error"] for row in again} == {0.0}
