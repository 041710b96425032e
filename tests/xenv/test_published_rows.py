"""The published runs come out exactly, from the published pools and under the published names."""

import csv
from pathlib import Path

import pytest

import xenv
from xenv.names import agent_spec

FILE = Path(__file__).parents[1] / "data" / "xenv" / "published_rows.csv"
ROWS = list(csv.DictReader(FILE.read_text().splitlines()))


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("name", sorted({row["agent"] for row in ROWS}))
def test_every_total_of_an_agent_is_the_published_one(name: str) -> None:
    for row in ROWS:
        if row["agent"] == name:
            result = xenv.run_environment(
                row["environment"], agent_spec(name), int(row["turns"]), int(row["seed"]), randomness="published"
            )
            assert str(result.total_reward) == row["total_reward"], row["environment"]


def test_q_learning_in_tempting_button_is_table_1() -> None:
    means = [
        xenv.run_environment("tempting_button", "q_learning", 100_000, seed, randomness="published").mean
        for seed in range(1, 6)
    ]
    assert sum(means) / 5 == pytest.approx(-0.44858, abs=5e-6)


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("wrapped", ["{}", "reality_check({})", "reality_check_published({})"])
@pytest.mark.parametrize("agent", ["random", "constant"])
def test_agents_that_ignore_the_learning_rate_match_their_copies(agent: str, wrapped: str) -> None:
    totals = [
        xenv.run_environment(name, wrapped.format(agent), 100_000, 1, randomness="published").total_reward
        for name in ("incentivize_learning_rate", "opposite(incentivize_learning_rate)")
    ]
    assert totals == [100_000, -100_000]


@pytest.mark.parametrize("agent", ["constant", "simple", "reality_check(q_learning)"])
def test_the_halved_rate_is_read_off_a_fresh_agent_and_wrapped_ones_have_none(agent: str) -> None:
    name = "incentivize_learning_rate_halved"
    assert xenv.run_environment(name, agent, 1000, 1, randomness="published").total_reward == -1000
    assert xenv.run_environment(name, "q_learning", 1000, 1, randomness="published").total_reward > 500
