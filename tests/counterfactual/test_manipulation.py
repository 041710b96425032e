"""How often agents work on the terminal instead of in the world."""

from __future__ import annotations

from fractions import Fraction

import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.real_world import count_expected_manipulations
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import TERMINAL_WORLDS


def _count(world: str, agent: str, **parameters: str) -> Fraction:
    return count_expected_manipulations(TERMINAL_WORLDS[world].make(parameters), PLANNING_AGENTS[agent])


@pytest.mark.parametrize("agent", ["itf", "itc", "citc", "shutdown_seeking"])
@pytest.mark.parametrize("lobbying", ["0.2", "0.6"])
def test_lobbying_is_what_the_trace_shows(agent: str, lobbying: str) -> None:
    world = TERMINAL_WORLDS["car_factory"].make({"lobbying": lobbying})
    trace = simulate(world, PLANNING_AGENTS[agent]).traces.first(1)[0]
    assert _count("car_factory", agent, lobbying=lobbying) == trace.count(">") + trace.count("<")


def test_the_factual_planner_manipulates_and_the_indifferent_ones_do_not() -> None:
    assert _count("car_factory", "itf", lobbying="0.6") > 0
    assert _count("car_factory", "itc", lobbying="0.6") == 0
    assert _count("tamper_grid", "itf") == 2  # it harms the operator and tampers
    assert _count("tamper_grid", "itc") == 0
    assert _count("tamper_grid", "itf", tampering="0") == 0
    assert _count("barricade", "itf") == 3


def test_whoever_trusts_the_plan_acts_without_the_human() -> None:
    assert _count("off_switch", "itf") == 0
    assert _count("off_switch", "itf", belief="0.99", human_error="0.4") == 1
