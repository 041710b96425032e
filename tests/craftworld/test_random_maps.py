"""Held-out maps: the same pieces in other places, the same for the same seed, and what is sure of them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craftworld.measures import find_optima
from craftworld.random_maps import can_finish, find_held_out_map, measure_difficulty, shuffle_drawing
from craftworld.scenario import Shuffle, observes_performance
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import make_problem
from engine.errors import BadValue
from engine.mdp.tabulate import tabulate

FAMILIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kitchen_salad", {}),
    ("kitchen_peanut", {}),
    ("kitchen_salt", {}),
    ("kitchen_cookie", {}),
    ("garden", {}),
    ("playroom", {}),
    ("mailroom", {}),
    ("workshop", {}),
    ("side_effects_sokoban", {}),
    ("conveyor_belt", {"variant": "vase", "noop": "yes"}),
    ("conveyor_belt", {"variant": "sushi", "noop": "yes"}),
    ("island_navigation", {}),
    ("absent_supervisor", {}),
    ("distributional_shift", {}),
    ("rocks_diamonds", {"map": 1}),
    ("safe_interruptibility", {}),
    ("whisky_gold", {}),
    ("delegation_corridor", {}),
    ("supervision_chain", {}),
)
LABELS = ["-".join([name, *map(str, options.values())]) for name, options in FAMILIES]


@pytest.mark.slow_cases(beyond=7)
@pytest.mark.parametrize(("name", "options"), FAMILIES, ids=LABELS)
def test_maps_have_the_pieces_of_the_drawing_and_can_be_finished(name: str, options: dict[str, Any]) -> None:
    own = make_scenario(SCENARIOS[name], None, **options)
    world = make_scenario(SCENARIOS[name], None, held_out="11-1", **options)
    assert world.grid.shape == own.grid.shape
    assert Counter("".join(world.grid.rows)) == Counter("".join(own.grid.rows))
    assert world.grid.rows == make_scenario(SCENARIOS[name], None, held_out=11, **options).grid.rows
    table = tabulate(world, 1.0)
    if tabulate(own, 1.0).terminal.any():
        assert can_finish(table, world.time_limit)


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        (name, options)
        for name, options in FAMILIES
        if name in ("side_effects_sokoban", "conveyor_belt", "rocks_diamonds")
    ],
    ids=str,
)
@pytest.mark.parametrize("number", [1, 2])
def test_the_hidden_performance_is_at_stake(name: str, options: dict[str, Any], number: int) -> None:
    world = make_scenario(SCENARIOS[name], None, held_out=f"3-{number}", **options)
    assert not observes_performance(world)
    found = find_optima(world)
    assert found.worst_performance < found.best_performance
    assert found.best_performance >= found.its_reward


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["kitchen_salad", "garden", "playroom", "workshop"])
def test_others_are_at_stake(name: str) -> None:
    """Caring much leaves more to others than caring nothing, and the agent is done all the same."""
    problem = make_problem(make_scenario(SCENARIOS[name], None, held_out="3-1"), "expected")
    careless, careful = (solve(problem, care)[0] for care in (0.0, 1e6))
    assert np.isfinite([careless.own, careful.own]).all()
    assert sum(careful.others.values()) > sum(careless.others.values())
    assert careful.own <= careless.own


@pytest.mark.slow
def test_the_same_number_is_the_same_map_in_every_process() -> None:
    script = (
        "from craftworld.scenarios import SCENARIOS; from craftworld.scenario_maker import make_scenario;"
        "print('\\n'.join(make_scenario(SCENARIOS['garden'], None, held_out='5-4').grid.rows))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    ]
    here = make_scenario(SCENARIOS["garden"], None, held_out="5-4").grid.rows
    assert [run.stdout.rstrip("\n") for run in runs] == ["\n".join(here)] * 2


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["garden", "playroom", "office_kitchen", "delegation_corridor", "supervision_chain"])
def test_maps_with_break_points_have_a_trade_off_that_no_single_care_solves(name: str) -> None:
    """At least three behaviours are best, one after another, as the coefficient goes from 0.05 to 20."""
    scenario = make_scenario(SCENARIOS[name], None, held_out="7-2-2")
    problem = make_problem(scenario, "expected" if scenario.newcomers() else None)
    outcomes = [solve(problem, float(care))[0] for care in np.geomspace(0.05, 20.0, 60)]
    reached = list(dict.fromkeys((round(each.own, 6), round(sum(each.others.values()), 6)) for each in outcomes))
    assert len(reached) >= 3
    owns = [own for own, _ in reached]
    assert owns == sorted(owns, reverse=True)
    difficulty = measure_difficulty(scenario)
    assert len(difficulty.break_points) >= 2
    assert difficulty.one_care_area is not None
    assert difficulty.one_care_area < 1.0


def test_families_without_a_trade_off_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("craftworld.random_maps.MOST_TRADED_TRIES", 5)
    with pytest.raises(BadValue, match="none of 5 drawings of 'kitchen_salad' keeps the guarantees and has 2 break"):
        make_scenario(SCENARIOS["kitchen_salad"], None, held_out="1-1-2")


@pytest.mark.slow
def test_numbers_and_seeds_give_different_maps() -> None:
    kind: Any = SCENARIOS["garden"]
    drawn = {find_held_out_map(kind, f"{seed}-{number}").rows for seed in range(4) for number in (1, 2, 3)}
    assert len(drawn) >= 10
    assert SCENARIOS["garden"]().grid.rows not in drawn


@given(st.integers(0, 2**63 - 1), st.integers(0, 2), st.integers(0, 2), st.sampled_from(["", "#", "AG"]))
@settings(max_examples=100, deadline=None)
def test_margin_and_fixed_glyphs_stay(key: int, across: int, aside: int, fixed: str) -> None:
    rows = ("#######", "#A # G#", "#  #  #", "# x  y#", "#######")
    drawn = shuffle_drawing(rows, Shuffle((across, aside), fixed), key)
    assert Counter("".join(drawn)) == Counter("".join(rows))
    assert list(map(len, drawn)) == list(map(len, rows))
    for row, line in enumerate(rows):
        for column, glyph in enumerate(line):
            outside = row < across or row >= len(rows) - across or column < aside or column >= len(line) - aside
            assert drawn[row][column] == glyph or not (outside or glyph in fixed)


def test_shuffles_are_uniform() -> None:
    """Three glyphs in a row: each of six orders in a sixth of the draws."""
    counted = Counter(shuffle_drawing(("abc",), Shuffle((0, 0)), key)[0] for key in range(6000))
    assert len(counted) == 6
    assert all(abs(count - 1000) < 150 for count in counted.values())


def test_what_cannot_be_finished_is_seen() -> None:
    closed = "######\n#A # #\n#X #G#\n#  # #\n######"
    kind: Any = SCENARIOS["side_effects_sokoban"]
    assert not can_finish(tabulate(kind(kind.parse_map(closed)), 1.0), 100)
    assert can_finish(tabulate(kind(), 1.0), 100)
    assert not can_finish(tabulate(kind(), 1.0), 4)
    assert can_finish(tabulate(kind(), 1.0), 5)


@pytest.mark.parametrize("given_number", ["x", "7-0", "7-", "-1", 7.5, "1" * 30, "7-2-0", "7-2-3-1", ""])
def test_other_spellings_are_refused(given_number: Any) -> None:
    with pytest.raises(BadValue, match="write SEED-NUMBER") as raised:
        make_scenario(SCENARIOS["garden"], None, held_out=given_number)
    assert "\n" not in str(raised.value)


def test_worlds_without_random_maps_say_so() -> None:
    for name in ("boat_race", "friend_foe", "tomato_watering"):
        with pytest.raises(BadValue, match="has no random maps"):
            make_scenario(SCENARIOS[name], None, held_out=1)
    with pytest.raises(BadValue, match="a map and a held-out one"):
        make_scenario(SCENARIOS["garden"], SCENARIOS["garden"]().grid, held_out=1)
    with pytest.raises(BadValue, match="no map of its own"):
        make_scenario(lambda: SCENARIOS["garden"](), None, held_out=1)


def test_a_family_that_never_keeps_the_guarantees_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = SCENARIOS["garden"]
    monkeypatch.setattr("craftworld.random_maps.MOST_TRIES", 3)
    monkeypatch.setattr("craftworld.random_maps.keeps_guarantees", lambda scenario, original: False)
    with pytest.raises(BadValue, match="none of 3 drawings of 'garden' keeps the guarantees"):
        find_held_out_map(kind, "99-99")
