"""The planner against the plain recursions of ITF, ITC and CITC, in worlds of random tables and in the shipped ones."""

from fractions import Fraction

import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.planning.plain_recursions import plan_citc, plan_itc, plan_itf
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import TERMINAL_WORLDS
from tests.counterfactual.table_world import TableWorld

PLAIN = {"itf": plan_itf, "itc": plan_itc, "citc": plan_citc}
SHIPPED = [
    ("car-factory", {"horizon": "5", "lobbying": "1/2", "update": "2"}),
    ("car-factory", {"horizon": "5", "lobbying": "1/2", "noticing": "1", "update": "2"}),
    ("barricade", {"horizon": "5", "update_step": "2", "k": "3"}),
    ("off-switch", {}),
]


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("agent", PLAIN)
@pytest.mark.parametrize("feedback", [False, True])
def test_random_tables(agent: str, feedback: bool) -> None:
    for key in range(12):
        world = TableWorld(key, terminal_key=key + 100, feedback=feedback, horizon=3)
        assert simulate(world, PLANNING_AGENTS[agent]).score == max(PLAIN[agent](world).values())


@pytest.mark.parametrize("agent", PLAIN)
@pytest.mark.parametrize(("name", "settings"), SHIPPED)
def test_shipped_worlds(agent: str, name: str, settings: dict[str, str]) -> None:
    world = TERMINAL_WORLDS[name].make(settings)
    values = PLAIN[agent](world)
    found = simulate(world, PLANNING_AGENTS[agent])
    assert found.score == max(values.values())
    best = {action for action, value in values.items() if value == found.score}
    assert {str(trace)[0] for trace in found.planned} == best


def test_what_is_counterfactual_differs_from_what_is_factual() -> None:
    """By hand: one step before an update that makes petrol cost 2; both make petrol now, ITC plans it for ever."""
    world = TERMINAL_WORLDS["car-factory"].make({"horizon": "2", "update": "1", "discount": "1", "lobbying": "0"})
    assert plan_itf(world)["p"] == Fraction(30)  # 20 of petrol, then 10 of electric cars under the new function
    assert plan_itc(world)["p"] == plan_citc(world)["p"] == Fraction(40)
