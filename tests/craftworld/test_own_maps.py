"""A user's own map: bigger workshops with inner walls, and maps that cannot be finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import solve, solve_trade_off
from craftworld.solution.problem import make_problem
from engine.errors import DuplicateFeature, MissingFeature, UnreachableFeature

BIG = """
###############
#E..K#....T...#
#....#........#
#....#...######
#.............#
####.#####....#
#....#W.......#
#..F.#....K...#
#.............#
#............X#
###############
"""


def own_map(folder: Path, art: str) -> Path:
    path = folder / "mine.txt"
    path.write_text(art)
    return path


@pytest.mark.parametrize("name", ["workshop", "workshop_auto"])
def test_a_bigger_workshop_with_inner_walls_has_the_same_trade_off(tmp_path: Path, name: str) -> None:
    problem = make_problem(make_scenario(SCENARIOS[name], own_map(tmp_path, BIG)))
    segments = solve_trade_off(problem)
    own = [segment.outcome.own for segment in segments]
    other = [segment.outcome.others["newcomer"] for segment in segments]
    assert len(segments) >= 3
    assert own == sorted(own, reverse=True)
    assert other == sorted(other)
    distances = problem.scenario.grid.distances(problem.scenario.grid.only("factory"))
    assert -own[0] > distances[problem.scenario.grid.only("entrance")]


@pytest.mark.parametrize(
    ("feature", "cell"),
    [("key place", (1, 4)), ("toolshed", (1, 10)), ("wood", (6, 6)), ("factory", (7, 3)), ("exit", (9, 13))],
)
def test_a_walled_off_feature_is_refused_by_name(tmp_path: Path, feature: str, cell: tuple[int, int]) -> None:
    rows = [list(row) for row in BIG.strip().splitlines()]
    for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        rows[cell[0] + down][cell[1] + right] = "#"
    art = "\n".join("".join(row) for row in rows)
    with pytest.raises(
        UnreachableFeature, match=f"row {cell[0]}, column {cell[1]}: '{feature}' cannot be reached"
    ) as e:
        make_scenario(SCENARIOS["workshop"], own_map(tmp_path, art))
    assert e.value.column == cell[1]


def test_missing_and_double_features(tmp_path: Path) -> None:
    for glyph, feature in (("E", "entrance"), ("F", "factory"), ("T", "toolshed"), ("K", "key place")):
        with pytest.raises(MissingFeature, match=f"no '{feature}' on the map; draw it as '{glyph}'"):
            make_scenario(SCENARIOS["workshop"], own_map(tmp_path, BIG.replace(glyph, ".")))
    with pytest.raises(DuplicateFeature, match="'factory' is drawn 2 times"):
        make_scenario(SCENARIOS["workshop"], own_map(tmp_path, BIG.replace("W.", "WF")))


def test_more_key_places_are_more_places_to_leave_the_key(tmp_path: Path) -> None:
    three = make_scenario(SCENARIOS["workshop"], own_map(tmp_path, BIG.replace("W.", "WK")), key_start="K3")
    (start,) = three.starts()
    assert three.describe(start)["key"] == "K3"
    assert len(make_scenario(SCENARIOS["workshop"], own_map(tmp_path, BIG), key_start="uniform").starts()) == 2


def test_a_random_key_is_an_average_over_its_places() -> None:
    kind = SCENARIOS["workshop"]
    mixed, cases = solve(make_problem(kind(None, key_start="uniform")), 0.7)
    alone = [solve(make_problem(kind(None, key_start=place)), 0.7)[0] for place in ("K1", "K2")]
    assert [case.outcome.own for case in cases] == [outcome.own for outcome in alone]
    assert mixed.own == sum(outcome.own for outcome in alone) / 2
    assert mixed.total == sum(outcome.total for outcome in alone) / 2
