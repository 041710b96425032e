"""`evaluate`: any policy, against solves, closed forms and samples; what is none is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.action_rules import act_softly
from engine.errors import BadFile, BadValue, ContractBroken
from engine.mdp.policies import make_random_policy

NAMES = ["garden", "playroom", "icy_yard", "toll_road", "friend_foe", "common_meadow", "safe_interruptibility"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("care", [0.0, 1.3, 40.0])
def test_the_optimum_earns_what_solve_says_from_python_words_and_arrays(name: str, care: float) -> None:
    problem = caregrid.problem(name)
    solved = problem.solve(care)
    for policy in ("optimal", solved.policies):
        found = problem.evaluate(policy, care, certify=True)
        assert found.own == pytest.approx(solved.own)
        assert found.others == pytest.approx(dict(solved.others))
        assert found.total == pytest.approx(solved.total)
        assert found.errors is not None
        assert all(error is not None and error < 1e-9 for error in found.errors.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("care", [0.0, 2.0])
def test_the_complete_policy_is_optimal_in_every_state(name: str, care: float) -> None:
    """One step with it earns, in every state, what the best action earns: Bellman's equation of optimality."""
    problem = caregrid.problem(name).exact
    for start, policy in caregrid.problem(name).solve(care).policies.items():
        assert policy.dtype == np.int32
        assert policy.shape == problem.mdp.terminal.shape
        plan = problem.plan_optimum(care, start)
        states = np.flatnonzero(~problem.restrict_to_start(start, problem.mdp).terminal & np.isfinite(plan.value))
        assert plan.action_value[states, policy[states]] == pytest.approx(plan.value[states])


@pytest.mark.parametrize("name", NAMES)
def test_returns_are_occupancies_times_rewards(name: str) -> None:
    problem = caregrid.problem(name)
    mdp = problem.exact.mdp
    for policy in ("optimal", make_random_policy(mdp)):
        visits = problem.occupancy(policy, 1.0)
        ends = problem.evaluate(policy, 1.0).ends
        if not np.isfinite(visits).all():
            assert ends < 1.0
            continue
        chance = make_random_policy(mdp) if isinstance(policy, np.ndarray) else None
        if chance is not None:
            probability = np.broadcast_to(mdp.probability, mdp.next_state.shape)
            step = (chance[:, :, None] * probability * mdp.reward).sum(axis=(1, 2))
            assert float(visits[~mdp.terminal] @ step[~mdp.terminal]) == pytest.approx(problem.evaluate(chance).own)
        if mdp.discount == 1.0:
            assert visits[mdp.terminal].sum() == pytest.approx(ends)
        else:
            acting = visits[~mdp.terminal].sum()
            assert (1 - mdp.discount) * acting + visits[mdp.terminal].sum() == pytest.approx(1.0)


def test_a_policy_that_stays_is_there_for_ever() -> None:
    problem = caregrid.problem("garden")
    mdp = problem.exact.mdp
    staying = np.array([int((mdp.next_state[s, :, 0] == s).argmax()) for s in range(len(mdp.terminal))])
    start = int(mdp.start_states()[0])
    assert mdp.next_state[start, staying[start], 0] == start  # there is a wall
    assert problem.occupancy(staying)[start] == np.inf
    assert caregrid.problem("garden", discount=0.9).occupancy(staying)[start] == pytest.approx(10.0)


def test_performance_is_the_scenarios_own() -> None:
    assert caregrid.problem("boat_race").performance().shape == caregrid.problem("boat_race").exact.mdp.reward.shape
    assert np.array_equal(caregrid.problem("garden").performance(), caregrid.problem("garden").exact.mdp.reward)
    hidden = caregrid.problem("boat_race").performance()
    best = caregrid.optima("boat_race").as_dict()["performance"]["best"]
    assert hidden.max() <= best
    assert hidden.max() > 0 > hidden.min()


def test_performance_and_violations_are_those_of_optima() -> None:
    found = caregrid.problem("absent_supervisor").evaluate("optimal", care=0)
    assert found.performance == pytest.approx(29.0)
    assert found.violations > 0


@pytest.mark.parametrize(("fraction", "optimal"), [(1e-9, True), (1, False)])
def test_a_quantilizer_goes_from_the_optimum_to_chance(fraction: float, optimal: bool) -> None:
    problem = caregrid.problem("icy_yard")
    name = f"craftworld.action_rules:quantilize(fraction={fraction})"
    other = problem.evaluate("optimal" if optimal else "random", care=2)
    assert problem.evaluate(name, care=2).augmented == pytest.approx(other.augmented)


def test_a_learner_is_evaluated_from_python_and_from_its_folder(tmp_path: Path) -> None:
    problem = caregrid.problem("garden")
    trained = problem.train(care=1, steps=20_000, out=tmp_path / "kept")
    for policy in (trained, tmp_path / "kept", str(tmp_path / "kept")):
        assert problem.evaluate(policy, care=1).augmented == pytest.approx(trained.curve[-1]["greedy_return"])
    with pytest.raises(BadFile, match="another scenario"):
        caregrid.problem("playroom").evaluate(tmp_path / "kept")
    with pytest.raises(BadFile, match="another scenario"):
        caregrid.problem("playroom").evaluate(trained)


def rows(states: int, actions: int) -> dict[str, Any]:
    return {
        "shape": np.zeros(states + 1, dtype=int),
        "numbers": np.full(states, 0.5),
        "action": np.full(states, actions),
        "sum": np.full((states, actions), 1.0),
        "negative": np.tile([2.0, -1.0, *[0.0] * (actions - 2)], (states, 1)),
        "nan": np.full((states, actions), np.nan),
        "ragged": [[1.0], [1.0, 2.0]],
        "nothing": None,
        "text": ["a"] * states,
        "object": object(),
        "start": {},
    }


@pytest.mark.parametrize("wrong", rows(1, 2))
def test_what_is_no_policy_is_refused_in_one_line(wrong: str) -> None:
    problem = caregrid.problem("garden")
    mdp = problem.exact.mdp
    with pytest.raises(BadValue) as caught:
        problem.evaluate(rows(len(mdp.terminal), len(mdp.actions))[wrong])
    assert "\n" not in str(caught.value)


def test_the_command_prints_what_python_returns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "garden", "--policy", "random", "--care", "2", "--certify", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = caregrid.problem("garden").evaluate("random", care=2, certify=True)
    assert printed == {"schema": "caregrid/evaluate", "version": 1, **found.as_dict()}
    assert found.rows()[0]["own"] == printed["own"]
    assert found.text() == repr(found)


def test_a_policy_that_draws_its_actions_is_filmed_by_seed_and_compared_by_its_expectation() -> None:
    problem = caregrid.problem("garden")
    name = "craftworld.action_rules:quantilize(fraction=0.5)"
    [_, row] = problem.compare("1", policy=name).rows()
    found = problem.evaluate(name, care=1)
    assert row["own"] == pytest.approx(found.own)
    assert row["total"] == pytest.approx(found.total)
    chance = make_random_policy(problem.exact.mdp)
    scenes = [problem.film(1, seed=seed, policy=[chance]).scenes for seed in (0, 0, 1)]
    assert scenes[0] == scenes[1] != scenes[2]
    assert "sampled, seed 1" in str(scenes[2][1])
    certain = np.eye(chance.shape[1])[problem.solve(1).policies[int(problem.exact.mdp.start_states()[0])]]
    assert problem.compare("1", policy=certain).rows()[1]["own"] == problem.solve(1).own
    with pytest.raises(BadValue, match="no policy 'optimall'"):
        problem.compare("1", policy="optimall")


def test_a_function_is_a_policy_as_its_name_is() -> None:
    """As in a notebook, where it has no module. Its mistakes are one line with its name."""
    garden = caregrid.problem("garden")
    named, numbers = "craftworld.action_rules:act_softly", act_softly(garden.exact, 2.0)
    found = [garden.evaluate(policy, care=2).own for policy in (act_softly, named, numbers)]
    assert found[0] == found[1] == found[2]
    np.testing.assert_array_equal(garden.occupancy(act_softly, care=2), garden.occupancy(numbers, care=2))
    shown = garden.compare(care="2", policy=act_softly).rows()
    assert found[0] == pytest.approx(shown[-1]["own"])
    for wrong, sentence in (
        (lambda problem: numbers, "is called as policy"),
        (lambda problem, care: numbers[:3], "it gave a policy of shape"),
        (lambda problem, care: 1 / 0, "ZeroDivisionError"),
    ):
        with pytest.raises(ContractBroken, match=sentence) as caught:
            garden.evaluate(wrong)
        assert str(caught.value).startswith("test_evaluate_command.py, function ")


def test_planners_say_that_they_know_what_is_hidden_and_say_nothing_elsewhere() -> None:
    hidden, seen = caregrid.problem("friend_foe"), caregrid.problem("garden")
    for ask in (lambda p: p.solve(0), lambda p: p.breakpoints(), lambda p: p.sweep("0,1")):
        assert "observes the whole state, with what friend_foe hides: box" in ask(hidden).text()
        assert "observes" not in ask(seen).text()
    assert hidden.solve(0).as_dict()["observes"] == hidden.breakpoints().as_dict()["observes"] == "state"
    assert hidden.sweep("0,1").as_dict()["breakpoints"]["observes"] == "state"
    assert "observes" not in seen.solve(0).as_dict()
    assert "observes" not in hidden.sweep("0", method="q_learning", steps=100).text()


def test_a_file_that_holds_no_policy_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text('{"policy": []}')
    with pytest.raises(BadFile, match=r"rules\.json: this file holds no policy; give a folder of 'caregrid train', or"):
        caregrid.problem("garden").evaluate(str(tmp_path / "rules.json"))
