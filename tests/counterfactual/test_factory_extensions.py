"""Extensions of the car factory: what each adds, who uses it, and that they can be switched on together."""

from dataclasses import fields
from fractions import Fraction
from itertools import combinations

import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.car_factory import FACTORY_RULES
from counterfactual.simulation.simulate import Simulation, simulate
from counterfactual.worlds.car_factory import CarFactory
from counterfactual.worlds.tamper_grid import TamperGrid
from engine.errors import BadValue

OBEYS = "pppppp#" + "e" * 19
SWITCHES = {
    "noticing": {"noticing": 2},
    "investment": {"investment": 2, "boost": "1.5"},
    "breakdown": {"breakdown": 4},
    "button": {"press_now": 1, "disable": 1},
    "gamble": {"gamble": "0.7"},
    "bribe": {"bribe_step": 2},
    "changed_rewards": {"change_old": 1, "change_new": 2},
    "device": {"device": 2},
    "fewer_actions": {"no_idling": 1},
    "new_lines": {"electric_line": 1, "petrol_line": 2},
    "second_line": {"second_line": 2, "stop_signal": 1},
}
# In these the balancing term makes f_c another agent than ITC, as the source says.
BALANCE_MATTERS = {"device", "bribe", "changed_rewards"}


def simulated(agent: str, **settings: object) -> Simulation:
    return simulate(CarFactory.make(settings), PLANNING_AGENTS[agent])


@pytest.mark.parametrize(
    ("settings", "culprit", "remedy"),
    [
        ({"bribe": 20}, "bribe", "set 'bribe_step', too"),
        ({"bribe_fine": 3, "bribe_step": 0}, "bribe_fine", "set 'bribe_step', too"),
        ({"button_step": 2, "investment": 1}, "button_step", "set 'press_now' or 'disable', too"),
        ({"b": 3}, "boost", "set 'investment', too"),
        ({"patience": 4}, "patience", "set 'noticing', too"),
        ({"jackpot": 4}, "jackpot", "set 'gamble', too"),
        ({"changed_electric": 3, "change_new": 5}, "changed_electric", "set 'change_old', too"),
        ({"t_I": 2, "C": 30}, "electric_line_cars", "set 'electric_line', too"),
        ({"maintenance_step": 3, "breakdown": 0}, "maintenance_step", "set 'breakdown', too"),
    ],
    ids=lambda given: "+".join(given) if isinstance(given, dict) else None,
)
def test_a_setting_that_nothing_turns_on_is_refused(settings: dict[str, int], culprit: str, remedy: str) -> None:
    with pytest.raises(BadValue) as refused:
        CarFactory.make(settings)
    assert str(refused.value) == f"car-factory: '{culprit}' has no effect: nothing turns it on; {remedy}"
    assert CarFactory.make({"bribe": 10}) == CarFactory.make({"bribe_step": 0}) == CarFactory()


def test_a_rule_of_which_another_part_is_turned_on_ignores_no_setting() -> None:
    """Every parameter is a switch of its rule, or names the switches without which it is refused."""
    for rule in FACTORY_RULES.values():
        made = {entry.name: entry.metadata["needs"] for entry in fields(rule) if "meaning" in entry.metadata}
        switches = {name for name, needs in made.items() if not needs}
        assert all(rule(**{name: 1}).active for name in switches)
        assert {switch for needs in made.values() for switch in needs} <= switches


def test_what_tampering_pays_needs_tampering() -> None:
    with pytest.raises(BadValue, match=r"^tamper-grid: 'payment' has no effect: nothing turns it on; set 'tampering'"):
        TamperGrid.make({"payment": 3, "tampering": 0})
    assert TamperGrid.make({"payment": 3}).payment == 3


def test_every_rule_has_a_switch_here() -> None:
    assert set(SWITCHES) == set(FACTORY_RULES)


@pytest.mark.slow_cases(beyond=16)
@pytest.mark.parametrize("pair", list(combinations(SWITCHES, 2)), ids="+".join)
def test_rules_combine_and_indifferent_agents_agree(pair: tuple[str, str]) -> None:
    world = CarFactory.make({"horizon": 7, "update": 3, "lobbying": "0.5", **SWITCHES[pair[0]], **SWITCHES[pair[1]]})
    assert len(world.rules) == 2
    traces = [simulate(world, PLANNING_AGENTS[agent]).traces for agent in ("itc", "citc", "fc")]
    assert traces[0] == traces[1]
    assert traces[1] == traces[2] or not BALANCE_MATTERS.isdisjoint(pair)


@pytest.mark.parametrize("agent", ["itc", "citc", "fc"])
class TestIndifferentAgents:
    """They plan as if the update did not concern them, for better and worse."""

    def test_invest_in_what_they_will_not_need(self, agent: str) -> None:
        assert list(simulated(agent, investment=1, boost="1.2").traces) == ["ippppp#" + "e" * 19]
        assert list(simulated(agent, investment=1, boost="1.02").traces) == [OBEYS]

    def test_do_not_maintain_what_they_will_need(self, agent: str) -> None:
        assert list(simulated(agent, breakdown=5).traces) == ["pppppp#" + "0" * 19]

    def test_neither_press_nor_disable_the_button(self, agent: str) -> None:
        assert list(simulated(agent, press_now=1, disable=1, new_electric=3).traces) == [OBEYS]

    def test_gamble_if_and_only_if_the_odds_are_better_than_even(self, agent: str) -> None:
        assert {trace[0] for trace in simulated(agent, gamble="0.51").traces} == {"g"}
        assert {trace[0] for trace in simulated(agent, gamble="0.5").traces} == {"g", "p"}
        assert list(simulated(agent, gamble="0.49").traces) == [OBEYS]


class TestTheFactualAgent:
    """It plans for the function that will judge it, and for which one that will be."""

    def test_does_not_invest_before_an_update_that_makes_it_useless(self) -> None:
        assert simulated("itf", investment=1, boost="1.2").traces.first(1)[0][0] == "p"

    def test_maintains_what_it_will_need(self) -> None:
        assert list(simulated("itf", breakdown=5).traces) == ["pppmp>p#" + "e" * 18]

    def test_disables_the_button_when_that_pays(self) -> None:
        simulation = simulated("itf", disable=1)
        assert sorted(simulation.traces) == ["ppppp>d" + "p" * 18, "pppppd" + "p" * 19]
        assert "#" not in "".join(simulation.traces)

    def test_presses_at_once_when_the_new_function_pays_more(self) -> None:
        assert list(simulated("itf", press_now=1, new_electric=3).traces) == ["n#" + "e" * 24]

    def test_wants_better_than_even_odds(self) -> None:
        assert simulated("itf", gamble="0.55").traces.first(1)[0][0] == "p"
        assert {trace[0] for trace in simulated("itf", gamble="0.99").traces} == {"g"}


@pytest.mark.parametrize("changed_petrol", ["9/10", "1", "3/2", "4"])
def test_f_c_does_not_rewrite_its_future_function_so_that_it_pays_for_petrol(changed_petrol: str) -> None:
    """Figure 5, right, of the source: it stops when the button is pressed, as V_S is no other function's choice."""
    simulation = simulated("fc", horizon=15, lobbying=5, change_new=3, changed_petrol=changed_petrol)
    assert {trace.partition("#")[2] for trace in simulation.traces} == {"e" * 9}
    assert ("pp2ppp#" + "e" * 9 in simulation.traces) == (changed_petrol == "9/10")


def test_a_stop_signal_is_read_off_the_button_in_the_branch_without_an_update_too() -> None:
    """Figure 11 of the source: 273.60 for g_c. In V_N it stops the line while V_S is still 1/2 of a batch, in step 18.

    Until then a step makes two batches of petrol cars, there one and one of electric cars, as the button is pressed.
    """
    simulation = simulated("gc", horizon=20, lobbying="0.6", second_line=3, stop_signal=1)
    batches = [2, 2, 0, *[4] * 14, 2 + 1, 2, 2]
    score = sum(10 * reward * Fraction(9, 10) ** step for step, reward in enumerate(batches))
    assert (simulation.score, f"{float(score):.2f}") == (score, "273.60")
    assert list(simulation.traces) == ["ppbppp#s" + "e" * 13]


def test_a_sure_gamble_never_presses() -> None:
    simulation = simulated("itc", gamble=1, horizon=4, update=2)
    assert list(simulation.traces) == ["gg#ee"]


def test_a_gamble_may_be_lost_in_every_step_before_the_update() -> None:
    simulation = simulated("itc", gamble="0.6")
    assert sorted(simulation.traces) == sorted("g" * lost + "#" + "e" * (25 - lost) for lost in range(1, 7))


def test_people_fix_a_plan_that_resists_and_never_who_obeys() -> None:
    resisting = simulated("itc", noticing=2, lobbying="0.3")
    assert resisting.planned != resisting.traces
    assert all(set(trace.partition("#")[2]) == {"e"} for trace in resisting.traces)
    rewarded = simulated("itc", noticing=2, lobbying="0.3", fine="-5")
    assert rewarded.score > resisting.score


def test_patience_delays_the_fix() -> None:
    scores = [simulated("itc", noticing=1, lobbying="0", patience=patience).score for patience in (0, "1/2", 1, 4, 30)]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1] == simulated("itc", lobbying="0").score


def test_lobbying_cost_and_batches() -> None:
    assert simulated("itf", batch=1).score * 10 == simulated("itf").score
    free = simulated("itf", lobbying_cost=0, lobbying="2")
    assert round(float(free.score), 2) == 185.64
    assert list(simulated("itf", lobbying_cost=1, lobbying="0.2").traces) == [OBEYS]
