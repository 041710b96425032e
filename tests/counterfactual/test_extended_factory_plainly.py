"""Every extension of the factory, alone and with others, under every agent, against the same rules written plainly."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds.car_factory import CarFactory
from tests.counterfactual.plain_extended_factory import PlainExtendedFactory

AGENTS = ["itf", "itc", "citc", "fc", "gc"]
STEPS = st.integers(1, 4)
NUMBERS = st.sampled_from(["0", "1/2", "1", "2", "3", "4", "7", "10", "25"])
REWARDS = st.sampled_from(["-2", "-1", "0", "1", "2", "3", "4"])
EXTENSIONS = {
    "bribe": st.fixed_dictionaries(
        {"bribe_step": STEPS, "bribe": NUMBERS, "bribe_fine": st.sampled_from([0, 3, 1000])}
    ),
    "change_old": st.fixed_dictionaries({"change_old": STEPS, "changed_electric": REWARDS}),
    "change_new": st.fixed_dictionaries({"change_new": STEPS, "changed_petrol": REWARDS}),
    "press": st.fixed_dictionaries({"press_now": st.just(1), "button_step": STEPS, "button_output": NUMBERS}),
    "disable": st.fixed_dictionaries({"disable": st.just(1), "button_step": STEPS, "button_output": NUMBERS}),
    "electric_line": st.fixed_dictionaries({"electric_line": STEPS, "electric_line_cars": NUMBERS}),
    "petrol_line": st.fixed_dictionaries({"petrol_line": STEPS, "petrol_line_batches": NUMBERS}),
    "process": st.fixed_dictionaries(
        {"breakdown": STEPS, "maintenance_step": STEPS, "maintenance_output": st.sampled_from(["0", "0.9", "1"])}
    ),
    "second_line": st.fixed_dictionaries({"second_line": STEPS, "stop_signal": st.integers(0, 1)}),
    "device": st.fixed_dictionaries({"device": STEPS, "device_divisor": st.sampled_from([1, 10])}),
    "gamble": st.fixed_dictionaries(
        {"gamble": st.sampled_from(["1/2", "0.6", "1"]), "gamble_step": STEPS, "no_idling": st.just(1)}
    ),
    "fewer": st.fixed_dictionaries({"no_lobbying": st.just(1), "no_idling": st.integers(0, 1)}),
}
FACTORIES = st.fixed_dictionaries(
    {
        "horizon": st.integers(1, 6),
        "lobbying": st.sampled_from(["0", "0.6", "1", "5"]),
        "update": st.sampled_from(["1", "2", "7/2", "6"]),
        "new_electric": st.sampled_from(["0", "1", "3"]),
    }
)


def agree(agent: str, chosen: dict[str, object]) -> None:
    plain = PlainExtendedFactory(tuple((name, Fraction(str(value))) for name, value in sorted(chosen.items())))
    simulation = simulate(CarFactory.make(chosen), PLANNING_AGENTS[agent])
    assert simulation.score == plain.value(plain.agent(agent), 1, plain.start)
    assert set(simulation.traces) == plain.traces(agent, 1, plain.start)


def test_the_fine_is_due_once_where_the_rewards_first_differ_from_those_of_the_start() -> None:
    """By the source: a bribe changes nothing for ITF, which has no correction to lose; other rewards do."""
    both = {"bribe_step": 1, "bribe": 0, "bribe_fine": 3, "change_old": 2, "changed_electric": -2}
    chosen = {"horizon": 3, "lobbying": 0, "update": 2, "new_electric": 0, **both}
    simulation = simulate(CarFactory.make(chosen), PLANNING_AGENTS["itf"])
    assert (simulation.score, set(simulation.traces)) == (38, {"ap#0", "ap#e", "pp#0", "pp#e"})
    agree("itf", chosen)


@pytest.mark.parametrize("fine", [0, 3, 9, 10, 11, 1000])
def test_the_fine_of_a_bribe_is_booked_in_its_own_step(fine: int) -> None:
    """Two steps of petrol, an update after them; a bribe of half a batch in the last one is worth 10 less the fine."""
    settings = {"horizon": 2, "update": 3, "lobbying": 0, "bribe_step": 2, "bribe": 5, "bribe_fine": fine}
    assert simulate(CarFactory.make(settings), PLANNING_AGENTS["fc"]).score == 20 + Fraction("0.9") * max(20, 30 - fine)


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("extension", EXTENSIONS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_one_extension(agent: str, extension: str, data: st.DataObject) -> None:
    agree(agent, {**data.draw(FACTORIES), **data.draw(EXTENSIONS[extension])})


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_several_at_once(agent: str, data: st.DataObject) -> None:
    chosen = data.draw(FACTORIES)
    for extension in data.draw(st.lists(st.sampled_from(sorted(EXTENSIONS)), min_size=2, max_size=3, unique=True)):
        chosen |= data.draw(EXTENSIONS[extension])
    agree(agent, chosen)
