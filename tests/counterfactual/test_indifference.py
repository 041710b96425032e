"""What makes an agent ITC, on arbitrary worlds and on the known ones; agents that only look like it are found out."""

import importlib.util
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfactual.agents import AGENTS
from counterfactual.agents.citc import citc
from counterfactual.agents.fc import fc
from counterfactual.agents.itc import itc
from counterfactual.agents.itf import itf
from counterfactual.planning.joint_transition import joint
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import Outcome, PlanningWorld, Situation, rewards
from counterfactual.simulation.simulate import live
from counterfactual.worlds import WORLDS
from counterfactual.worlds.tamper_grid import TamperGrid

_spec = importlib.util.spec_from_file_location("table_world", Path(__file__).with_name("table_world.py"))
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
TableWorld = _module.TableWorld

keys = st.integers(0, 10**6)


def reads_the_signal_inside(learned, signal):
    """Not ITC: its planned rewards follow the planned readings."""
    reward = rewards(learned)

    def outcomes(step, now, action):
        branches = learned.physics(step, now.x, action)
        for weight, after, events, reading in joint(learned, branches, now.signal, step, now.x, action):
            yield Outcome(weight, Situation(after, reading), reward(now.signal, events))

    return PlanningWorld(learned, outcomes)


def plans_once(learned, signal):
    """Not ITC: it goes on with the function that it was started with, whatever the terminal sends."""
    return itc(learned, 0)


def keeps_the_signal_in_physics(learned, signal):
    """Not ITC: its planned world still depends on planned readings."""
    reward = rewards(learned)

    def outcomes(step, now, action):
        branches = learned.physics_given(now.signal, step, now.x, action)
        for weight, after, events, reading in joint(learned, branches, now.signal, step, now.x, action):
            yield Outcome(weight, Situation(after, reading), reward(signal, events))

    return PlanningWorld(learned, outcomes)


def action_values(agent, world, signal=0):
    """The values of all actions at the start of the agent's plan."""
    planning_world = agent(world, signal)
    plan = Plan(planning_world, 1, planning_world.situation(world.start(), signal))
    return [plan.action_value(1, 0, action) for action in plan.allowed(1, 0)]


def values_ignore_the_terminal(agent, world):
    """Whether no change of the terminal's kernel changes an action's value."""
    others = [replace(world, terminal_key=key) for key in (11, 12, 13, 14)]
    return all(action_values(agent, other) == action_values(agent, world) for other in others)


def obeys(agent):
    """Whether the factory's agent turns to electric cars after the update and never lobbies."""
    life = live(WORLDS["car-factory"].make({"lobbying": "0.6"}), agent)
    return list(life.traces) == ["pppppp#" + "e" * 19]


@settings(max_examples=30, deadline=None)
@given(key=keys, terminal_key=keys, feedback=st.booleans(), chance=st.booleans())
def test_action_values_do_not_depend_on_the_terminal(key, terminal_key, feedback, chance) -> None:
    world = TableWorld(key, terminal_key, feedback, chance)
    assert values_ignore_the_terminal(itc, world)
    for signal in (0, 1):
        assert action_values(itc, world, signal) == action_values(citc, world, signal)


@settings(max_examples=30, deadline=None)
@given(key=keys, terminal_key=keys, chance=st.booleans())
def test_all_three_indifferent_agents_live_alike_without_feedback(key, terminal_key, chance) -> None:
    world = TableWorld(key, terminal_key, chance=chance)
    itc_life, citc_life, fc_life = (live(world, agent) for agent in (itc, citc, fc))
    assert itc_life.traces == citc_life.traces == fc_life.traces
    assert itc_life.score == citc_life.score == fc_life.score
    assert citc_life.situations <= itc_life.situations


def test_the_balancing_agent_can_differ_where_physics_reads_the_signal() -> None:
    worlds = [TableWorld(key, key, feedback=True) for key in range(20)]
    assert any(live(world, fc).score != live(world, itc).score for world in worlds)


def test_impostors_are_found_out() -> None:
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

    def terminal(self, signal, step, x, action, after):
        written = [
            reading._replace(signal=(reading.signal + step + x.cell) % 3)
            for reading in super().terminal(signal, step, x, action, after)
        ]
        return [entry._replace(weight=weight) for entry, weight in zip(written, (2,), strict=True)]


def test_tamper_grid_values_do_not_depend_on_the_terminal() -> None:
    here, there = TamperGrid(horizon=12), RandomTerminal(horizon=12)
    assert action_values(itc, here) == action_values(itc, there)
    assert action_values(citc, here) == action_values(citc, there)
    assert action_values(itf, here) != action_values(itf, there)


@pytest.mark.parametrize("lobbying", [f"{step / 4:g}" for step in range(21)])
@pytest.mark.parametrize("noticing", [0, 1, 2])
def test_three_indifferent_agents_agree_at_every_power(lobbying: str, noticing: int) -> None:
    world = WORLDS["car-factory"].make({"lobbying": lobbying, "noticing": noticing})
    traces = [live(world, AGENTS[agent]).traces for agent in ("itc", "citc", "fc")]
    assert traces[0] == traces[1] == traces[2]


@pytest.mark.parametrize("electric", [f"{step / 4:g}" for step in range(15)])
def test_three_indifferent_agents_agree_for_every_new_function(electric: str) -> None:
    world = WORLDS["car-factory"].make({"new_electric": electric, "lobbying": "0.5"})
    lives = [live(world, AGENTS[agent]) for agent in ("itc", "citc", "fc")]
    assert lives[0].traces == lives[1].traces == lives[2].traces
    assert len({life.score for life in lives}) == 1
    before_the_update = {trace.partition("#")[0] for trace in lives[0].traces.first(100)}
    assert before_the_update == {"pppppp"}


def test_ties_are_sets() -> None:
    worthless = live(WORLDS["car-factory"].make({"new_electric": 0}), citc)
    assert worthless.traces.count == 2**19
    assert worthless.traces.first(2) == ["pppppp#" + "0" * 19, "pppppp#" + "0" * 18 + "e"]
    even = live(WORLDS["car-factory"].make({"old_electric": 2, "horizon": 3}), citc)
    assert sorted(even.traces) == sorted(a + b + c for a in "pe" for b in "pe" for c in "pe")


def test_compact_plans_visit_fewer_situations() -> None:
    for world in (kind.make({}) for kind in WORLDS.values()):
        assert live(world, citc).situations <= live(world, itc).situations
    grid = TamperGrid()
    assert live(grid, citc).situations < live(grid, itc).situations


def test_a_chance_tie_is_not_a_near_tie() -> None:
    near = {"old_petrol": "1.0000000000001", "old_electric": "1", "horizon": 2, "update": 9}
    assert list(live(WORLDS["car-factory"].make(near), citc).traces) == ["pp"]
    assert live(WORLDS["car-factory"].make(near), citc).score == Fraction("1.0000000000001") * 19
