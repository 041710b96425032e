"""Statistics over runs: equal to rliable's numbers under the same resamples, honest about few runs, exact where known.

tests/data/rliable.json holds what rliable 1.2.0 gives for its scores when numpy's draws inside it are replaced by
ours: `randrange_array(R, split(split(0, "bootstrap"), label), (resamples, R, M))`, as in `bootstrap.resampled`.
"""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, trim_mean

from engine.errors import BadValue
from engine.randomness.compiled import randrange_array
from engine.randomness.counter_based import randrange
from experiments.catalogue.extended_environments._battery_statistics import list_gains, tabulate_statistics
from experiments.experiment import Experiment, LearnedRuns, NotEnoughRows, ResultRow, Rows, ScoreColumns
from experiments.results import format_failing_seeds
from experiments.statistics import (
    BOOTSTRAP,
    RANGE,
    bootstrap_interval,
    interquartile_mean,
    make_statistics_tables,
    mean,
    mean_interval,
    percentile_interval,
    performance_profile,
    probability_of_improvement,
    resample,
    tabulate_failing_seeds,
    tabulate_improvement,
    tabulate_scores,
    wilson_interval,
)

RLIABLE = json.loads((Path(__file__).parent.parent / "data" / "rliable.json").read_text())
SCORES = {name: np.array(scores) for name, scores in RLIABLE["scores"].items()}
THRESHOLDS = np.array(RLIABLE["thresholds"])
CLOSE = {"abs": 1e-9, "rel": 0}


def _estimates(name: str) -> np.ndarray:
    return resample(SCORES[name], name, RLIABLE["resamples"])


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(("aggregate", "which"), [(interquartile_mean, "iqm"), (mean, "mean")], ids=["iqm", "mean"])
def test_aggregates_are_those_of_rliable(aggregate: object, which: str, name: str) -> None:
    assert callable(aggregate)
    expected = RLIABLE[which][name]
    assert [float(aggregate(SCORES[name]))] == pytest.approx(expected["point"], **CLOSE)
    interval = percentile_interval(aggregate(_estimates(name)))
    assert list(interval) == pytest.approx(list(itertools.chain(*expected["interval"])), **CLOSE)


@pytest.mark.parametrize("name", SCORES)
def test_profiles_are_those_of_rliable(name: str) -> None:
    expected = RLIABLE["profile"][name]
    assert list(performance_profile(SCORES[name], THRESHOLDS)) == pytest.approx(expected["point"], **CLOSE)
    interval = percentile_interval(performance_profile(_estimates(name), THRESHOLDS))
    assert interval == pytest.approx(np.array(expected["interval"]), **CLOSE)


@pytest.mark.parametrize("pair", RLIABLE["improvement"])
def test_improvement_is_that_of_rliable(pair: str) -> None:
    one, other = pair.split(",")
    expected = RLIABLE["improvement"][pair]
    probability = float(probability_of_improvement(SCORES[one], SCORES[other]))
    assert [probability] == pytest.approx(expected["point"], **CLOSE)
    interval = percentile_interval(probability_of_improvement(_estimates(one), _estimates(other)))
    assert list(interval) == pytest.approx(list(itertools.chain(*expected["interval"])), **CLOSE)


matrices = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(st.integers(-5, 5), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda numbers: np.array(numbers, dtype=float).reshape(shape) / 4
    )
)


@given(matrices)
def test_aggregates_by_scipy_and_by_counting(scores: np.ndarray) -> None:
    assert interquartile_mean(scores) == pytest.approx(trim_mean(scores, 0.25, axis=None), **CLOSE)
    pairs = [(x > y) + 0.5 * (x == y) for column in scores.T for x, y in itertools.product(column, column[::-1])]
    assert probability_of_improvement(scores, scores[::-1]) == pytest.approx(np.mean(pairs), **CLOSE)
    assert probability_of_improvement(scores, scores) == 0.5
    assert list(performance_profile(scores, THRESHOLDS)) == [(scores > at).mean() for at in THRESHOLDS]


@given(matrices)
def test_an_interval_lies_among_the_scores_and_says_what_it_is(scores: np.ndarray) -> None:
    few = len(scores) < 3 or scores.size < 20
    of_iqm, of_mean = bootstrap_interval(scores, interquartile_mean, "a"), mean_interval(scores, "a")
    assert (of_iqm is None) == few
    assert (of_mean is None) == (len(scores) == 1)
    for found in filter(None, (of_iqm, of_mean)):
        assert found.kind == (RANGE if few else BOOTSTRAP)
        assert scores.min() <= found.low <= found.high <= scores.max()
    if of_mean:
        assert of_mean.low - 1e-12 <= mean(scores) <= of_mean.high + 1e-12 or not few
    assert of_mean == mean_interval(scores, "a")


def test_resamples_stay_within_their_environment_and_differ_by_label() -> None:
    scores = np.arange(12.0).reshape(3, 4)
    drawn = resample(scores, "a", 50)
    assert (drawn % 4 == np.arange(4)).all()
    assert not (drawn == resample(scores, "b", 50)).all()
    assert (drawn == resample(scores, "a", 50)).all()


def test_the_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for trial in range(200):
        scores = rng.normal(0.0, 1.0, (10, 20))
        found = mean_interval(scores, str(trial))
        assert found is not None
        covered += found.low <= 0.0 <= found.high
    assert 0.86 <= covered / 200 <= 0.99


@given(st.integers(1, 300), st.data())
def test_wilson_by_scipy(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    expected = binomtest(successes, trials).proportion_ci(0.95, "wilson")
    assert wilson_interval(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("successes", "trials", "level"), [(1, 0, 0.95), (-1, 3, 0.95), (4, 3, 0.95), (1, 3, 1.0)])
def test_no_share(successes: int, trials: int, level: float) -> None:
    with pytest.raises(BadValue):
        wilson_interval(successes, trials, level)


def test_arrays_of_random_numbers_are_those_one_by_one() -> None:
    for n, key in ((1, 0), (7, 2**63 + 5), (2**40, 2**64 - 1)):
        drawn = randrange_array(n, key, (3, 4)).ravel().tolist()
        assert drawn == [randrange(n, key, counter) for counter in range(12)]


COLUMNS = ScoreColumns(score="reward", method="agent", environment="world")


def _rows(agents: dict[str, float], seeds: int, worlds: int = 6) -> Rows:
    return [
        {"agent": agent, "seed": seed, "world": f"w{world}", "reward": centre + randrange(9, 5, seed, world) / 100}
        for agent, centre in agents.items()
        for seed in range(seeds)
        for world in range(worlds)
    ]


def test_tables_of_scores() -> None:
    low, high = tabulate_scores(_rows({"low": 0.0, "high": 0.5}, seeds=5), COLUMNS)
    assert (low["method"], low["runs"], low["environments"], low["interval"]) == ("low", 5, 6, BOOTSTRAP)
    for line in (low, high):
        for name in ("mean", "iqm"):
            assert line[f"{name}_low"] <= line[name] <= line[f"{name}_high"]  # type: ignore[operator]
    assert high["iqm_low"] > low["iqm_high"]  # type: ignore[operator]
    [two, _] = tabulate_scores(_rows({"low": 0.0, "high": 0.5}, seeds=2), COLUMNS)
    assert (two["interval"], two["iqm_low"]) == (RANGE, None)
    [one] = tabulate_scores(_rows({"low": 0.0}, seeds=1), COLUMNS)
    assert (one["interval"], one["iqm_low"]) == (None, None)
    [pair] = tabulate_improvement(_rows({"low": 0.0, "high": 0.5}, seeds=5), COLUMNS)
    assert pair == {
        "method": "low",
        "other": "high",
        "probability": 0.0,
        "probability_low": 0.0,
        "probability_high": 0.0,
    }


def test_incomplete_runs_do_not_count() -> None:
    rows = [row for row in _rows({"low": 0.0}, seeds=3) if (row["seed"], row["world"]) != (1, "w2")]
    [line] = tabulate_scores(rows, COLUMNS)
    assert line["runs"] == 2
    assert not tabulate_scores([row for row in rows if row["seed"] == 1 or row["world"] == "w2"][:7], COLUMNS)


def test_a_seed_misses_where_one_of_its_rows_does() -> None:
    rows: list[ResultRow] = [
        {"agent": agent, "care": care, "seed": seed, "regret": float(agent == "learner" and (seed, care) == (3, 1.0))}
        for agent in ("exact", "learner")
        for care in (0.0, 1.0)
        for seed in range(8)
    ]
    learned = LearnedRuns(lambda row: None if row["agent"] == "exact" else row["regret"] == 0, ("agent",))
    [line] = tabulate_failing_seeds(rows, learned)
    low, high = wilson_interval(1, 8)
    assert line == {
        "agent": "learner",
        "seeds": 8,
        "missed": 1,
        "share": 0.125,
        "share_low": low,
        "share_high": high,
        "learned rows": 16,
        "of them missed": 1,
    }
    pressing = learned._replace(failing="press the button")
    named = Experiment(reproduces="a paper", settings={"seed": (0,)}, run=lambda seed, key: rows, learned=pressing)
    [table] = make_statistics_tables(named, rows)
    assert "seeds that press the button" in table.title
    assert format_failing_seeds([table])[0].startswith("learner: 1 of 8 seeds press the button (95 % interval")


def test_gains_are_of_environments_that_both_agents_were_run_in() -> None:
    scores = {"a": {"one": 0.0, "two": 1.0}, "check(a)": {"two": 1.5}}
    rows: Rows = [
        {"agent": agent, "environment": environment, "seed": seed, "reward_a_turn": score + seed}
        for agent, of_agent in scores.items()
        for environment, score in of_agent.items()
        for seed in (1, 2)
    ]
    plain, checked = tabulate_statistics(rows)
    assert (plain["environments"], checked["environments"], checked["seeds"]) == (2, 1, 2)
    assert (plain["measure"], checked["gain"], checked["gain_lowest"]) == (2.0, 0.5, 0.5)
    with pytest.raises(NotEnoughRows, match="both a and check"):
        list_gains(rows[:2] + rows[-1:], "a", "check(a)")
