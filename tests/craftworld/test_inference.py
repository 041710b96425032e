"""Inverse learning: Boltzmann's rule by hand, right owners, what cannot be told apart, the worth of watching."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from craftworld.inference import (
    Candidate,
    Posterior,
    compute_log_boltzmann,
    group_indistinguishable,
    make_candidates,
    parse_demonstration,
    read_demonstrations,
    sample_demonstration,
    sample_demonstration_entry,
)
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_break_points, solve
from craftworld.solution.problem import Problem, make_problem
from craftworld.value_of_information import estimate_worth_of_watching, find_break_point_bands, replace_beliefs
from engine.errors import BadFile, BadValue
from engine.planning.dynamic_programming import plan


@pytest.fixture(scope="module")
def kitchen() -> Problem:
    return make_problem(SCENARIOS["office_kitchen"](), "expected")


def of(problem: Problem, temperature: float = 2.0) -> tuple[Candidate, ...]:
    return make_candidates(problem.scenario, problem.mdp, temperature)


def test_boltzmanns_rule(kitchen: Problem) -> None:
    table = of(kitchen)[0].table
    value, policy = plan(table).action_value, np.exp(compute_log_boltzmann(table, 3.0))
    state = int(table.start_states()[0])
    weights = [math.exp(each / 3.0) for each in value[state]]
    np.testing.assert_allclose(policy[state], np.array(weights) / sum(weights))
    np.testing.assert_allclose(policy.sum(axis=1), 1.0)
    assert np.exp(compute_log_boltzmann(table, 1e-3))[state].max() > 1.0 / len(table.actions)


def test_the_posterior_is_prior_times_likelihood(kitchen: Problem) -> None:
    candidates = of(kitchen)
    walk = sample_demonstration(candidates[1], 5)
    likelihood = np.ones(len(candidates))
    for number, one in enumerate(candidates):
        for state, action in walk:
            likelihood[number] *= one.policy[one.table.index[state], one.table.actions.index(action)]
    prior = np.array([0.2, 0.3, 0.5])
    found = Posterior.prior(candidates, prior.tolist()).update(walk)
    np.testing.assert_allclose(found.probability, prior * likelihood / (prior @ likelihood))
    both = found.update(sample_demonstration(candidates[1], 6)).probability
    other = (
        Posterior.prior(candidates, prior.tolist())
        .update(sample_demonstration(candidates[1], 6))
        .update(walk)
        .probability
    )
    np.testing.assert_allclose(both, other)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("temperature", [1.0, 10.0])
def test_the_right_owner_is_found(kitchen: Problem, temperature: float) -> None:
    candidates = of(kitchen, temperature)
    right = 0
    for owner in range(60):
        posterior, who = Posterior.prior(candidates), owner % len(candidates)
        for number in range(2):  # of the twenty that the claim allows
            posterior = posterior.update(sample_demonstration(candidates[who], 1000 * owner + number))
        right += int(posterior.probability.argmax()) == who
    assert right >= 57


def test_who_cannot_be_told_apart_is_named(kitchen: Problem) -> None:
    candidates = of(kitchen)
    twin = replace(candidates[0], newcomer=candidates[0].newcomer._replace(name="twin"))
    assert group_indistinguishable(candidates) == ()
    assert group_indistinguishable((*candidates, twin)) == (("baker", "twin"),)


def test_watching_is_never_worth_less_than_nothing(kitchen: Problem) -> None:
    posterior = Posterior.prior(of(kitchen))
    found = estimate_worth_of_watching(kitchen, posterior, 2.0, 40, 0)
    best, _ = solve(replace_beliefs(kitchen, posterior.probability), 2.0)
    assert found.now == pytest.approx(best.own + 2.0 * float(posterior.probability @ list(best.others.values())))
    assert found.worth > 0.0
    assert 0.0 <= found.interval[0] < found.worth < found.interval[1]
    assert found == estimate_worth_of_watching(kitchen, posterior, 2.0, 40, 0)
    for _ in range(3):
        posterior = posterior.update(sample_demonstration(posterior.candidates[2], 9))
    assert estimate_worth_of_watching(kitchen, posterior, 2.0, 10, 0).worth == pytest.approx(0.0, abs=1e-6)


def test_bands_of_break_points(kitchen: Problem) -> None:
    posterior = Posterior.prior(of(kitchen))
    first, *_ = find_break_point_bands(kitchen, posterior, 0.9)
    each = [find_break_points(replace_beliefs(kitchen, row), (0.0, math.inf)) for row in np.eye(3)]
    assert (first.low, first.high) == (min(points[0] for points in each), max(points[0] for points in each))
    sure = replace(posterior, log_weight=np.array([0.0, -np.inf, -np.inf]))
    band = find_break_point_bands(kitchen, sure, 0.9)[0]
    assert band.care == band.low == band.high == each[0][0]


def test_a_file_round_trip(tmp_path: Path, kitchen: Problem) -> None:
    candidates = of(kitchen)
    path = tmp_path / "seen.json"
    path.write_text(
        json.dumps({"demonstrations": [sample_demonstration_entry(candidates[0], seed) for seed in range(3)]})
    )
    assert read_demonstrations(path, candidates) == [sample_demonstration(candidates[0], seed) for seed in range(3)]


def test_where_chance_decides_states_are_given() -> None:
    yard = make_problem(SCENARIOS["icy_yard"](), "expected")
    candidates = of(yard, 5.0)
    entries = [sample_demonstration_entry(candidates[1], seed) for seed in range(10)]
    refusals = 0
    for seed, entry in enumerate(entries):
        assert parse_demonstration(entry, candidates) == sample_demonstration(candidates[1], seed)
        if _refused({name: entry[name] for name in ("start", "actions")}, candidates):
            refusals += 1
    assert refusals
    assert Posterior.prior(candidates).update(
        sample_demonstration(candidates[1], 3)
    ).probability.sum() == pytest.approx(1.0)


def _refused(entry: object, candidates: tuple[Candidate, ...]) -> bool:
    """Whether a demonstration is refused since chance decides a step."""
    try:
        parse_demonstration(entry, candidates)
    except BadValue as error:
        return "chance decides" in str(error)
    return False


def test_nothing_follows_the_end(kitchen: Problem) -> None:
    only = of(kitchen)[:1]
    entry = sample_demonstration_entry(only[0], 0)
    longer = {"start": entry["start"], "actions": [*entry["actions"], "up"]}
    with pytest.raises(BadValue, match="is over before action"):
        parse_demonstration(longer, only)


BAD: Sequence[tuple[object, str]] = (
    (3, "no start and actions"),
    ({"start": {}}, "no start and actions"),
    ({"start": {}, "actions": [], "more": 1}, "no start and actions"),
    ({"start": {}, "actions": "up"}, "not a list of names"),
    ({"start": {}, "actions": [1]}, "not a list of names"),
    ({"start": {}, "actions": ["up"]}, "none that can be handed over"),
    ({"start": None, "actions": []}, "none that can be handed over"),
    ({"start": {"cell": float("nan")}, "actions": []}, "none that can be handed over"),
    ({"start": {}, "actions": ["up"], "states": []}, "not one state for each action"),
)


@pytest.mark.parametrize(("entry", "message"), BAD)
def test_bad_demonstrations_are_named(kitchen: Problem, entry: object, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        parse_demonstration(entry, of(kitchen))


def test_other_bad_input_is_named(tmp_path: Path, kitchen: Problem) -> None:
    candidates = of(kitchen)
    entry = sample_demonstration_entry(candidates[0], 0)
    for changed, message in (
        ({"actions": ["fly"], "states": [entry["start"]]}, "unknown action 'fly'"),
        ({"actions": [*entry["actions"], "up"], "states": [*entry["states"], entry["start"]]}, "cannot follow"),
        ({"states": [{}] * len(entry["actions"])}, "cannot follow"),
    ):
        with pytest.raises(BadValue, match=message):
            parse_demonstration(entry | changed, candidates)
    for content in ("[]", "{", '{"demonstrations": 3}', '{"demonstrations": [], "more": 1}', "[" * 100_000):
        (tmp_path / "bad.json").write_text(content)
        with pytest.raises(BadFile, match=r"bad\.json"):
            read_demonstrations(tmp_path / "bad.json", candidates)
    with pytest.raises(BadFile):
        read_demonstrations(tmp_path / "none.json", candidates)
    for temperature in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(BadValue, match="temperature"):
            make_candidates(kitchen.scenario, kitchen.mdp, temperature)
    for prior in ([1.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0], [math.nan, 1.0, 1.0]):
        with pytest.raises(BadValue, match="prior"):
            Posterior.prior(candidates, prior)
    workshop = make_problem(SCENARIOS["workshop"]())
    with pytest.raises(BadValue, match="one newcomer"):
        make_candidates(workshop.scenario, workshop.mdp, 1.0)
    nobody = Posterior.prior(candidates, [0.0, 0.0, 1.0])
    over = candidates[2].table.states[int(np.flatnonzero(candidates[2].table.terminal)[0])]
    with pytest.raises(BadValue, match="impossible for every candidate"):
        nobody.update([(over, "up")])
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(BadValue, match="level"):
            find_break_point_bands(kitchen, Posterior.prior(candidates), level)
    with pytest.raises(BadValue, match="samples"):
        estimate_worth_of_watching(kitchen, Posterior.prior(candidates), 1.0, 1, 0)
