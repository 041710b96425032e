"""The contract of every scenario, and of everybody who comes afterwards."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from craftworld.scenario import Scenario, make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.solution import make_problem, solve
from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import randrange
from engine.scene import Scene
from renderers.text import draw

SAMPLES = 150
NAMES = SCENARIOS.names()


def sample(table: TabularMDP) -> list[int]:
    """Some state numbers, the first and the last among them."""
    count = len(table.states)
    return sorted({0, count - 1, *(randrange(count, 5, n) for n in range(SAMPLES))})


def everybody(name: str) -> list[tuple[str, Scenario]]:
    """The scenario and the worlds of its newcomers."""
    scenario = SCENARIOS[name]()
    return [(name, scenario), *((newcomer.name, newcomer.scenario) for newcomer in scenario.newcomers())]


@pytest.mark.parametrize("name", NAMES)
def test_single_states_and_columns_agree(name: str) -> None:
    for _, world in everybody(name):
        table = tabulate(world)
        for number in sample(table):
            state = table.states[number]
            assert bool(world.is_terminal(state)) == table.terminal[number]
            if table.terminal[number]:
                continue
            for action in range(len(world.actions)):
                after = world.step(state, action)
                target = type(state)(*(int(field) for field in after))
                assert table.index[target] == table.next_state[number, action, 0]
                assert float(world.reward(state, action, after)) == table.reward[number, action, 0]


@pytest.mark.parametrize("name", NAMES)
def test_terminal_states_absorb_and_pay_nothing_and_every_field_keeps_its_size(name: str) -> None:
    for _, world in everybody(name):
        table = tabulate(world)
        ends = np.flatnonzero(table.terminal)
        assert len(ends)
        assert (table.next_state[ends] == ends[:, None, None]).all()
        assert (table.reward[ends] == 0).all()
        assert sum(world.starts().values()) == pytest.approx(1.0)
        for number in sample(table):
            assert all(0 <= field < size for field, size in zip(table.states[number], world.sizes, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_care_0_leaves_the_optimal_own_return_unchanged(name: str) -> None:
    problem = make_problem(SCENARIOS[name]())
    outcome, _ = solve(problem, 0.0)
    alone = plan(problem.mdp).value
    assert outcome.own == pytest.approx(float(problem.mdp.start @ np.where(problem.mdp.start > 0, alone, 0.0)))


@pytest.mark.parametrize("name", NAMES)
def test_every_state_can_be_handed_over(name: str) -> None:
    scenario = SCENARIOS[name]()
    table = tabulate(scenario)
    columns: Any = table.states.columns()  # type: ignore[attr-defined]
    for newcomer in scenario.newcomers():
        handed = scenario.handover(columns, newcomer)
        for field, size in zip(handed, newcomer.scenario.sizes, strict=True):
            assert np.shape(field) == (len(table.states),)
            assert (np.asarray(field) >= 0).all()
            assert (np.asarray(field) < size).all()
        assert 0.0 <= newcomer.probability <= 1.0


@pytest.mark.parametrize("name", NAMES)
def test_every_state_can_be_drawn_and_told(name: str) -> None:
    for _, world in everybody(name):
        table = tabulate(world)
        for number in sample(table):
            scene = world.scene(table.states[number])
            assert isinstance(scene, Scene)
            assert draw(scene)
            told = json.loads(json.dumps(world.describe(table.states[number])))
            assert list(told) == list(table.states[number]._fields)


def test_unknown_options_are_refused_with_the_nearest() -> None:
    with pytest.raises(BadValue, match=r"Workshop: unknown option 'keystart'; did you mean 'key_start'\?"):
        make_scenario(SCENARIOS["workshop"], keystart="K1")
