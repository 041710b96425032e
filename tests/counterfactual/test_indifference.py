"""What makes an agent ITC, on arbitrary worlds and on the known ones; agents that only look like it fail."""

import importlib.util
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.agents.balancing import fc
from counterfactual.agents.factual_and_counterfactual import citc, itc, itf
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import (
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    list_joint_outcomes,
    reward_function,
)
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import TERMINAL_WORLDS
from counterfactual.worlds.tamper_grid import TamperGrid

_spec = importlib.util.spec_from_file_location("table_world", Path(__file__).with_name("table_world.py"))
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
TableWorld = _module.TableWorld

keys = st.integers(0, 10**6)


def reads_the_signal_inside(learned, signal):
    """Not ITC: its planned rewards follow the planned signals."""
    reward = reward_function(learned)

    def outcomes(step, now, action):
        physics = learned.physics(step, now.x, action)
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events))

    return PlanningWorld(learned, outcomes)


def plans_once(learned, signal):
    """Not ITC: it goes on with the function that it was started with, whatever the terminal sends."""
    return itc(learned, 0)


def keeps_the_signal_in_physics(learned, signal):
    """Not ITC: its planned world still depends on planned signals."""
    reward = reward_function(learned)

    def outcomes(step, now, action):
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(signal, events))

    return PlanningWorld(learned, outcomes)


def action_values(agent, world, signal=0):
    """The values of all actions at the start of the agent's plan."""
    planning_world = agent(world, signal)
    plan = Plan(planning_world, 1, planning_world.state(world.start(), signal))
    return [plan.action_value(1, 0, action) for action in plan.list_allowed(1, 0)]


def values_ignore_the_terminal(agent, world):
    """Whether no change of the terminal's kernel changes an action's value."""
    others = [replace(world, terminal_key=key) for key in (11, 12, 13, 14)]
    return all(action_values(agent, other) == action_values(agent, world) for other in others)


def obeys(agent):
    """Whether the factory's agent turns to electric cars after the update and never lobbies."""
    simulation = simulate(TERMINAL_WORLDS["car-factory"].make({"lobbying": "0.6"}), agent)
    return list(simulation.traces) == ["pppppp#" + "e" * 19]


@settings(max_examples=30, deadline=None)
@given(key=keys, terminal_key=keys, feedback=st.booleans(), chance=st.booleans())
def test_action_values_do_not_depend_on_the_terminal(key, terminal_key, feedback, chance) -> None:
    world = TableWorld(key, terminal_key, feedback, chance)
    assert values_ignore_the_terminal(itc, world)
    for signal in (0, 1):
        assert action_values(itc, world, signal) == action_values(citc, world, signal)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(key=keys, terminal_key=keys, chance=st.booleans())
def test_all_three_indifferent_agents_act_alike_without_feedback(key, terminal_key, chance) -> None:
    world = TableWorld(key, terminal_key, chance=chance)
    itc_simulation, citc_simulation, fc_simulation = (simulate(world, agent) for agent in (itc, citc, fc))
    assert itc_simulation.traces == citc_simulation.traces == fc_simulation.traces
    assert itc_simulation.score == citc_simulation.score == fc_simulation.score
    assert citc_simulation.planned_states <= itc_simulation.planned_states


def test_the_balancing_agent_can_differ_where_physics_reads_the_signal() -> None:
    worlds = [TableWorld(key, key, feedback=True) for key in range(20)]
    assert any(simulate(world, fc).score != simulate(world, itc).score for world in worlds)


def test_agents_that_only_look_like_itc_fail() -> None:
    worlds = [TableWorld(key, key, feedback=True) for key in range(5)]
    assert not all(values_ignore_the_terminal(reads_the_signal_inside, world) for world in worlds)
    assert not all(values_ignore_the_terminal(keeps_the_signal_in_physics, world) for world in worlds)
    assert not all(values_ignore_the_terminal(itf, world) for world in worlds)
    assert obeys(itc)
    assert not obeys(plans_once)
    assert not obeys(reads_the_signal_inside)
    assert not obeys(itf)


class RandomTerminal(TamperGrid):
    """TamperGrid with another terminal: whatever is done anywhere, some function is written."""

    def terminal(self, signal, step, x, action, next_x):
        written = [
            outcome._replace(signal=(outcome.signal + step + x.cell) % 3)
            for outcome in super().terminal(signal, step, x, action, next_x)
        ]
        return [entry._replace(weight=weight) for entry, weight in zip(written, (2,), strict=True)]


def test_tamper_grid_values_do_not_depend_on_the_terminal() -> None:
    here, there = TamperGrid(horizon=12), RandomTerminal(horizon=12)
    assert action_values(itc, here) == action_values(itc, there)
    assert action_values(citc, here) == action_values(citc, there)
    assert action_values(itf, here) != action_values(itf, there)


@pytest.mark.slow_cases(beyond=20)
@pytest.mark.parametrize("lobbying", [f"{step / 4:g}" for step in range(21)])
@pytest.mark.parametrize("noticing", [0, 1, 2])
def test_three_indifferent_agents_agree_at_every_power(lobbying: str, noticing: int) -> None:
    world = TERMINAL_WORLDS["car-factory"].make({"lobbying": lobbying, "noticing": noticing})
    traces = [simulate(world, PLANNING_AGENTS[agent]).traces for agent in ("itc", "citc", "fc")]
    assert traces[0] == traces[1] == traces[2]


@pytest.mark.parametrize("electric", [f"{step / 4:g}" for step in range(15)])
def test_three_indifferent_agents_agree_for_every_new_function(electric: str) -> None:
    world = TERMINAL_WORLDS["car-factory"].make({"new_electric": electric, "lobbying": "0.5"})
    simulations = [simulate(world, PLANNING_AGENTS[agent]) for agent in ("itc", "citc", "fc")]
    assert simulations[0].traces == simulations[1].traces == simulations[2].traces
    assert len({simulation.score for simulation in simulations}) == 1
    before_the_update = {trace.partition("#")[0] for trace in simulations[0].traces.first(100)}
    assert before_the_update == {"pppppp"}


def test_ties_are_sets() -> None:
    worthless = simulate(TERMINAL_WORLDS["car-factory"].make({"new_electric": 0}), citc)
    assert worthless.traces.count == 2**19
    assert worthless.traces.first(2) == ["pppppp#" + "0" * 19, "pppppp#" + "0" * 18 + "e"]
    even = simulate(TERMINAL_WORLDS["car-factory"].make({"old_electric": 2, "horizon": 3}), citc)
    assert sorted(even.traces) == sorted(a + b + c for a in "pe" for b in "pe" for c in "pe")


def test_compact_plans_visit_fewer_states() -> None:
    for world in (kind.make({}) for kind in TERMINAL_WORLDS.values()):
        assert simulate(world, citc).planned_states <= simulate(world, itc).planned_states
    grid = TamperGrid()
    assert simulate(grid, citc).planned_states < simulate(grid, itc).planned_states


def test_a_chance_tie_is_not_a_near_tie() -> None:
    near = {"old_petrol": "1.0000000000001", "old_electric": "1", "horizon": 2, "update": 9}
    assert list(simulate(TERMINAL_WORLDS["car-factory"].make(near), citc).traces) == ["pp"]
    assert simulate(TERMINAL_WORLDS["car-factory"].make(near), citc).score == Fraction("1.0000000000001") * 19
