"""What methods of the benchmark act like: known agents are given back, others are not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import caregrid
from caregrid.runs.bench import BenchResult
from experiments.bench.case_results import read_bench, summarise_case, summarise_methods
from experiments.requests.bench import run_case

MINE = """
import numpy as np
from engine.planning.dynamic_programming import plan


def at(problem, care):
    return plan(problem.make_augmented_table(care, int(problem.mdp.start_states()[0]))).policy

def selfish(problem, care):
    return at(problem, 0.0)

def spiteful(problem, care):
    return at(problem, -40.0)

def anything(problem, care):
    usable = problem.mdp.action_mask(np.arange(len(problem.mdp.terminal))).astype(float)
    return usable / usable.sum(axis=1, keepdims=True)
"""


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("world", ["garden", "playroom", "side_effects_sokoban", "icy_yard", "whisky_gold"])
def test_every_exact_method_is_recovered_at_all_its_coefficients(world: str) -> None:
    """Its own formulation explains each segment's episode by a coefficient of that segment."""
    suite = "corrigibility" if world == "whisky_gold" else "side_effects"
    recovered = []
    for formulation in _list_formulations(world):
        case = f"{suite}/{world}/{formulation}"
        recovered.append(summarise_case(case, run_case(case, 0))["recovered"])
    assert set(recovered) <= {1.0, None}
    assert recovered.count(1.0) > 1


def _list_formulations(world: str) -> tuple[str, ...]:
    from craftworld.scenario_maker import make_scenario
    from craftworld.scenarios import SCENARIOS
    from craftworld.solution.problem import find_applicable_formulations

    return find_applicable_formulations(make_scenario(SCENARIOS[world]))


def test_the_interval_is_that_of_the_paths_of_the_garden() -> None:
    """By hand, with E: 6 steps through the garden, 10 round it, 13 with a fence. Others get -52, -32, -20 then."""
    for row, ends in zip(
        run_case("side_effects/garden/expected", 0), ((0.0, 0.2), (0.2, 13 / 3), (13 / 3, None)), strict=True
    ):
        assert (row["care_from"], row["care_to"]) == pytest.approx(ends)
        if row["identified"] == "expected":
            assert (row["identified_from"], row["identified_to"]) == pytest.approx(ends)


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> BenchResult:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "identified_mine.py").write_text(MINE, encoding="utf-8")
    methods = ",".join(f"identified_mine:{name}" for name in ("selfish", "spiteful", "anything"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return caregrid.bench("how_much_care", quick=True, method=methods, out=folder / "run")


@pytest.mark.slow
def test_methods_of_ones_own_are_told_apart(mine: BenchResult) -> None:
    rows = {row["method"].split(":")[1]: row for row in mine.rows()}
    assert rows["selfish"]["identified"] == "own"
    assert all(row["identified_share"] == 1.0 for row in rows.values())
    points = {name: [p for p in mine.points() if p["method"].endswith(name)] for name in ("spiteful", "anything")}
    assert all(point["identified_care"] < 0.0 for point in points["spiteful"])
    assert all(point["identified_probability"] < 0.5 for point in points["anything"])  # no formulation explains it


def test_who_ignores_the_coefficient_is_recovered_where_it_is_small(mine: BenchResult) -> None:
    """In `playroom` the optimum of care 0 is that of all coefficients up to 5/3, a share of (5/3) / (1 + 5/3)."""
    rows = {row["method"].split(":")[1]: row for row in mine.rows()}
    assert rows["selfish"]["recovered"] == pytest.approx(5 / 8)
    assert rows["spiteful"]["recovered"] == 0.0


def test_the_file_and_the_text_say_it(mine: BenchResult) -> None:
    assert mine.path is not None
    points = [point for result in read_bench(Path(mine.path))["results"] for point in result["points"]]
    assert all(point["identified"] and 0.0 < point["identified_probability"] <= 1.0 for point in points)
    assert all(point["care_from"] >= 0.0 and math.isfinite(point["care_from"]) for point in points)
    head, *lines = mine.text().splitlines()
    assert "acts as" in head
    assert "own 1.00" in next(line for line in lines if "selfish" in line)


def test_the_leaderboard_says_it_too(mine: BenchResult, tmp_path: Path) -> None:
    """As its page, as a row of data and as text: the same names and means as in the table of the run."""
    board = caregrid.compare_bench(mine)
    told = {row["method"]: row for row in summarise_methods(mine.content["results"])}
    rows = board.rows()
    assert {row["acts_as"] for row in rows} == {row["acts as"] for row in told.values()}
    for row in rows:
        assert f"{row['recovered']:.3f}" == told[row["method"]]["recovered"]
    board.save(tmp_path / "board.html")
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    for name in ("acts as", "recovered"):
        assert f">{name}</th>" in page
        assert name in board.text()
    for row in rows:
        assert f">{row['acts_as']}</td>" in page
        assert row["acts_as"] in board.text()
