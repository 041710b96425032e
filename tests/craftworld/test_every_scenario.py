"""What holds in every scenario and its newcomers' worlds; the contract itself is `check_scenario`'s."""

from __future__ import annotations

import numpy as np
import pytest

from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import make_problem
from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import randrange
from renderers.text import draw
from tests.craftworld.scenario_names import SOLVED

SAMPLES = 150


Worlds = list[tuple[Scenario, TabularMDP]]


@pytest.fixture(scope="module", params=SOLVED)
def worlds(request: pytest.FixtureRequest) -> Worlds:
    """A scenario and the worlds of its newcomers, with their tables."""
    scenario = SCENARIOS[request.param]()
    others = (newcomer.scenario for newcomer in scenario.newcomers())
    return [(world, tabulate(world)) for world in (scenario, *others)]


def sample(table: TabularMDP) -> list[int]:
    """Some state numbers, the first and the last among them."""
    count = len(table.states)
    return sorted({0, count - 1, *(randrange(count, 5, n) for n in range(SAMPLES))})


def test_terminal_states_absorb_and_reward_nothing(worlds: Worlds) -> None:
    for world, table in worlds:
        ends = np.flatnonzero(table.terminal)
        assert len(ends) or world.discount < 1.0
        possible = table.probability[ends] > 0
        assert (table.next_state[ends] == ends[:, None, None])[possible].all()
        assert (table.reward[ends] == 0).all()


def test_care_0_leaves_the_optimal_own_return_unchanged(worlds: Worlds) -> None:
    scenario, _ = worlds[0]
    problem = make_problem(scenario)
    outcome, _ = solve(problem, 0.0)
    alone = plan(problem.mdp).value
    assert outcome.own == pytest.approx(float(problem.mdp.start @ np.where(problem.mdp.start > 0, alone, 0.0)))


def test_states_can_be_drawn_and_described_and_the_acting_agent_looks_like_one(worlds: Worlds) -> None:
    for world, table in worlds:
        for number in sample(table):
            assert draw(world.scene(table.states[number]))
            assert list(world.describe(table.states[number])) == list(table.states[number]._fields)
    scenario, _ = worlds[0]
    for state in scenario.starts():
        assert "agent" in [mark.role for mark in scenario.scene(state).marks]


def test_unknown_options_are_refused_with_the_nearest() -> None:
    with pytest.raises(BadValue, match=r"Workshop: unknown option 'keystart'; did you mean 'key_start'\?"):
        make_scenario(SCENARIOS["workshop"], keystart="K1")
