"""Agents for comparison: what each of them wants, in worlds where it can have it; and the off-switch game."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import Simulation, simulate
from counterfactual.worlds import TERMINAL_WORLDS
from counterfactual.worlds.off_switch import OffSwitch

SHARES = st.fractions(0, 1, max_denominator=20)
SIZES = st.fractions(0, 5, max_denominator=8)


def simulated(agent: str, world: str = "car_factory", **settings_of_world: object) -> Simulation:
    return simulate(TERMINAL_WORLDS[world].make(settings_of_world), PLANNING_AGENTS[agent])


@settings(max_examples=150, deadline=None)
@given(belief=SHARES, good=SIZES, bad=SIZES, human_error=SHARES)
def test_the_off_switch_game_by_hand(belief: Fraction, good: Fraction, bad: Fraction, human_error: Fraction) -> None:
    gain, loss = belief * good, (1 - belief) * bad
    values = {"a": gain - loss, "w": gain * (1 - human_error) - loss * human_error, "s": Fraction(0)}
    world = OffSwitch(belief=belief, good=good, bad=bad, human_error=human_error)
    simulation = simulate(world, PLANNING_AGENTS["itf"])
    assert simulation.score == max(values.values())
    taken = {trace.rstrip("#") for trace in simulation.traces}
    assert taken == {action for action, value in values.items() if value == max(values.values())}


def test_the_switch_is_used_by_a_human_who_is_right_and_the_rest_is_idle() -> None:
    assert list(simulated("itf", "off_switch", human_error=0, belief="0.5", horizon=3).traces) == ["w00", "w#00"]
    assert list(simulated("itf", "off_switch", human_error=0, belief=1, good=0).traces) == ["a", "s#", "w"]


def test_a_shutdown_seeking_agent_hastens_the_update() -> None:
    hastened = simulated("shutdown_seeking", lobbying="0.6", horizon=7)
    assert {trace.partition("#")[0] for trace in hastened.traces} == {"<<<<"}
    pressed = simulated("shutdown_seeking", press_now=1, horizon=4)
    assert {trace[:2] for trace in pressed.traces} == {"n#"}
    assert pressed.score == sum(Fraction(9, 10) ** t for t in (1, 2, 3))


def test_an_uncertain_agent_does_what_is_good_under_every_function() -> None:
    assert list(simulated("uncertain", lobbying="0.6").traces) == ["eeeeee#" + "e" * 19]
    assert simulated("uncertain", horizon=1, update=9).score == 10  # electric is 1 under both, petrol 0 on average
    assert simulated("uncertain", horizon=1, update=9, new_electric=2).score == 15
    certain = simulated("uncertain", horizon=2, update=1, new_electric="7/3")
    assert certain.score == Fraction(10) * (1 + Fraction(7, 3)) / 2 + Fraction(9, 10) * 10 * Fraction(7, 3)


@pytest.mark.parametrize("settings_of_world", [{"lobbying": "0.6"}, {"noticing": 2}, {"gamble": "0.6", "horizon": 8}])
def test_where_there_is_one_update_an_indifferent_agent_is_f_c(settings_of_world: dict[str, object]) -> None:
    one, other = simulated("indifferent", **settings_of_world), simulated("fc", **settings_of_world)
    assert (one.score, one.traces) == (other.score, other.traces)


def test_compensated_once_it_tampers_with_the_terminal_afterwards() -> None:
    obeys, tampers = simulated("fc", "tamper_grid"), simulated("indifferent", "tamper_grid")
    assert obeys.traces.first(1) == ["rrwwwwwwww#uuwwwwwwww"]
    trace = tampers.traces.first(1)[0]
    assert trace.index("#") == 10
    assert trace.endswith("ddddddd")
    assert tampers.real_return > 100 * obeys.real_return
