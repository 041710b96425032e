"""`identify --misfit` of copies, at terminals, in extended environments: Bayes factors are fair, and find misfits."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import caregrid
from benchmarks.misfit import ACT, draw_agent, find_alarm
from caregrid.main import main
from caregrid.programmes.agent_evidence import AgentModel, Explanation, ObservedDecision, compare_agents
from caregrid.programmes.agent_misfit import ANOTHER_POLICY, find_agent_misfit
from caregrid.programmes.turns import RecordedTurns
from craftworld.identification.misfit import DISCOUNT, FIRST_ACTION, OUTSIDE, TWO_AGENTS, Misfit
from craftworld.identification.posterior import Prior

SIZES = (2, 3, 2, 2)
ALTERNATIVES = (TWO_AGENTS, FIRST_ACTION, OUTSIDE, ANOTHER_POLICY, DISCOUNT)


def _explain(taken: Sequence[int]) -> Explanation:
    """Two episodes of two decisions; what hypotheses do, and what is seen, depends on what was done before."""
    decisions, habit, copying, values, others = [], [], [], [], []
    for number, (size, action) in enumerate(zip(SIZES, taken, strict=True)):
        before = taken[number - 1] if number else 0
        where = (1, 1 + number // 2, 1 + number % 2)
        decisions.append(ObservedDecision(where, size, action, (size, before)))
        habit.append(np.eye(size)[0])
        copying.append(np.eye(size)[before % size])
        values.append(np.array([1.0, 1.0 + 0.5 * before, 0.0][:size]))
        others.append(np.array([0.0, 1.0, 3.0][:size]))
    models = [AgentModel("habit", habit), AgentModel("copying", copying), AgentModel("planner", values=values)]
    return Explanation(decisions, models, others=lambda: [AgentModel("other", values=others)])


def test_bayes_factors_of_alternatives_have_expectation_one() -> None:
    """Over all courses, weighted by what the hypotheses expect: each alternative is a distribution, and so are they."""
    totals = dict.fromkeys((*ALTERNATIVES, "all"), 0.0)
    for taken in itertools.product(*map(range, SIZES)):
        explanation = _explain(taken)
        classes = compare_agents(explanation, Prior())
        number = sum(len(each.members) for each in classes)
        expected = float(logsumexp([each.log_evidence + math.log(len(each.members) / number) for each in classes]))
        totals["all"] += math.exp(expected)
        for each in find_agent_misfit(explanation, Prior()).alternatives:
            assert each.log_bayes_factor is not None
            totals[each.name] += math.exp(expected + each.log_bayes_factor)
    for name, total in totals.items():
        assert total == pytest.approx(1.0, abs=1e-9), name


def _ask(*seen: Any, **asked: Any) -> Misfit:
    found = caregrid.identify(*seen, misfit=True, **asked).misfit
    assert found is not None
    return found


def _record(agent: Any, world: str, **settings: Any) -> RecordedTurns:
    recorded = caregrid.record_behaviour(agent, world, **settings)
    assert isinstance(recorded, RecordedTurns)
    return recorded


def test_who_breaks_ties_always_the_same_way_is_no_misfit() -> None:
    """Our planning agents take the first of tied actions; in twelve episodes that would look like a habit."""
    for agent in ("itf", "itc", "fc"):
        assert not _ask(_record(agent, "terminal/tamper_grid", horizon=12, episodes=12)).is_alarm
    for future in ("cpy", "dyn"):
        assert not _ask(_record(future, "slots/teleport_move", horizon=4, discount="1/2"), agents="cpy,dyn").is_alarm


def test_a_planner_that_changes_half_way_is_found() -> None:
    first, second = (_record(agent, "terminal/tamper_grid", horizon=12, episodes=6) for agent in ("itf", "itc"))
    both = replace(first, episodes=[*first.episodes, *second.episodes], learns=None)
    found = _ask(both)
    assert found.is_alarm
    assert found.likeliest == TWO_AGENTS
    assert not _ask(replace(first, episodes=[*first.episodes, *first.episodes])).is_alarm


class _Contrary:
    """Does always the same in a situation, and what no agent of the battery would do for long."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.n_actions = n_actions

    def act(self, observation: int) -> int:
        return (observation + 1) % self.n_actions

    def train(self, *transition: Any) -> None:
        pass


def test_a_fixed_rule_that_no_registered_agent_follows_is_found() -> None:
    mine = _ask(_record(_Contrary, "extended/after_images", limit=60, seed=3), agents="constant,q_learning,sarsa")
    assert mine.is_alarm
    assert mine.likeliest in (ANOTHER_POLICY, OUTSIDE)
    for agent in ("q_learning", "sarsa"):
        assert not _ask(
            _record(agent, "extended/after_images", limit=60, seed=3), agents="constant,q_learning,sarsa"
        ).is_alarm


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("programme", ACT)
def test_agents_that_are_drawn_from_the_hypotheses_raise_no_alarm(programme: str) -> None:
    """Twelve draws, of which more than two alarms have a chance below 2 in 100; `benchmarks/misfit.py` takes 200."""
    random = np.random.default_rng(7)
    alarms = [find_alarm(programme, [draw_agent(programme, random)], random).is_alarm for _ in range(12)]
    assert sum(alarms) <= 2


def test_the_command_says_it(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(_record("itc", "terminal/tamper_grid", horizon=6).save(tmp_path / "seen.jsonl"))
    assert main(["identify", file, "--misfit"]) == 0
    printed = capsys.readouterr().out
    assert "nothing speaks against these hypotheses" in printed
    assert "discount: these agents have no discount" in printed
    assert main(["identify", file, "--misfit", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in told["misfit"]["alternatives"]] == list(ALTERNATIVES)
    assert caregrid.identify(file).as_dict()["misfit"] is None


def test_where_no_hypothesis_is_left_nothing_is_tried() -> None:
    seen = replace(_record("itc", "terminal/tamper_grid", horizon=4), learns=["I"])
    found = _ask(seen, agents="itf,itc")
    assert [each.log_bayes_factor for each in found.alternatives] == [None]
    assert not found.is_alarm
