"""The results that are kept under docs/results are whole, and the tables of their page are computed from them."""

import csv
import statistics
from collections import defaultdict
from pathlib import Path

import pytest

from experiments.catalogue.extended_environments.table_2_deep import AGENTS, PRINTED, experiment
from experiments.grid import SettingGrid
from xenv.interaction_loop import run_environment

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "results"
PAGE = (RESULTS / "README.md").read_text(encoding="utf-8")
with (RESULTS / "table_2_deep.csv").open(encoding="utf-8", newline="") as stream:
    ROWS = list(csv.DictReader(stream))


def number(value: float) -> str:
    """Four digits, without the 0 in front."""
    return f"{value:.4f}".replace("0.", ".")


def seed_means(agent: str, environment: str = "") -> list[float]:
    """An agent's reward per turn by seed, over all environments or one of them, opposites included."""
    of_seeds = defaultdict(list)
    for row in ROWS:
        if row["agent"] == agent and row["environment"] == (environment or row["environment"]):
            of_seeds[row["seed"]].append(float(row["reward_a_turn"]))
    return [statistics.fmean(rewards) for rewards in of_seeds.values()]


def test_every_unit_is_there_with_both_its_runs() -> None:
    grid = SettingGrid(experiment.settings)
    expected = [tuple(map(str, point)) for point in grid.points() for _ in range(2)]
    assert sorted(tuple(row[name] for name in grid.names) for row in ROWS) == sorted(expected)
    assert all(row["run"].startswith("opposite(") == bool(place % 2) for place, row in enumerate(ROWS))


@pytest.mark.parametrize("agent", AGENTS)
def test_the_page_says_what_the_rows_say_of_an_agent(agent: str) -> None:
    means = seed_means(agent)
    error = statistics.stdev(means) / len(means) ** 0.5
    printed = number(PRINTED[agent]) if agent in PRINTED else ""
    cells = [agent, printed, number(statistics.fmean(means)), f"{number(min(means))} to {number(max(means))}"]
    assert f"| {' | '.join([*cells, number(error)])} |" in PAGE


@pytest.mark.parametrize("environment", experiment.settings["environment"])
def test_the_page_says_what_the_rows_say_of_an_environment(environment: str) -> None:
    cells = [f"{statistics.fmean(seed_means(agent, environment)):.2f}" for agent in AGENTS]
    assert f"| {' | '.join([environment, *cells])} |" in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS[:3])
def test_a_kept_row_comes_out_again(agent: str) -> None:
    """On the machine of the kept rows to the last digit; rounding may decide an action on another."""
    pytest.importorskip("torch")
    [kept] = [
        float(row["reward_a_turn"])
        for row in ROWS
        if (row["agent"], row["run"], row["seed"]) == (agent, "repeater", "1")
    ]
    assert run_environment("repeater", agent, 100_000, 1).mean == pytest.approx(kept, abs=0.01)
