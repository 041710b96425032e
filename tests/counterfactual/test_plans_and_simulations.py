"""Plans, replanning, traces and films: what they promise their users."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.columns import as_columns
from counterfactual.exact_parameters import as_fraction
from counterfactual.planning.layers import index_states
from counterfactual.planning.plan import Plan, Replanner
from counterfactual.planning_world import PlanningState
from counterfactual.simulation.simulate import make_simulation_film, simulate, simulate_steps
from counterfactual.simulation.traces import Traces, collect_traces
from counterfactual.worlds import TERMINAL_WORLDS
from counterfactual.worlds.barricade import Barricade, BarricadeState
from counterfactual.worlds.car_factory import CarFactory
from engine.errors import BadValue, UnknownName
from experiments.catalogue.counterfactual.barricade import count_resisting_steps


def plan_of(world, agent="itc", signal=0):
    planning_world = PLANNING_AGENTS[agent](world, signal)
    return Plan(planning_world, 1, planning_world.state(world.start(), signal))


def everywhere_in_fractions(plan):
    """Backward induction with no filter, as a plain twin."""
    discount, following = plan.world.learned.discount, [Fraction(0)] * len(plan.layers[-1])
    for step in range(plan.world.learned.horizon, 0, -1):
        backups = [
            {
                action: sum(
                    (p * (r + discount * following[to]) for p, r, to in plan.list_transitions(step, s, action)),
                    Fraction(0),
                )
                for action in plan.list_allowed(step, s)
            }
            for s in range(len(plan.layer(step)))
        ]
        for s, backup in enumerate(backups):
            best = max(backup.values())
            assert plan.list_optimal(step, s) == [action for action, value in backup.items() if value == best]
            assert plan.value(step, s) == best
            floats, bound = plan.estimate(step, np.array([s]))
            assert abs(Fraction(floats[0]) - best) <= bound <= 1e-7
        following = [max(backup.values()) for backup in backups]
    return following[0]


@pytest.mark.parametrize("agent", sorted(PLANNING_AGENTS))
@pytest.mark.parametrize(
    ("name", "given_settings"),
    [
        ("car-factory", {"horizon": 7, "update": 3, "lobbying": "0.7", "noticing": 2, "new_electric": 0}),
        ("car-factory", {"horizon": 5, "update": 2, "gamble": "1/2", "disable": 1}),
        ("car-factory", {"disable": 1, "lobbying": 1, "lobbying_cost": "0.4", "discount": "0.6", "old_petrol": 3}),
        ("barricade", {"horizon": 8, "update_step": 3}),
        ("tamper-grid", {"horizon": 7, "update_step": 4}),
    ],
)
def test_filtered_plans_equal_plans_in_fractions_everywhere(agent, name, given_settings) -> None:
    plan = plan_of(TERMINAL_WORLDS[name].make(given_settings), agent)
    assert everywhere_in_fractions(plan) == plan.value(1)


@pytest.mark.parametrize("agent", sorted(PLANNING_AGENTS))
def test_a_kept_plan_says_what_a_new_one_would(agent: str) -> None:
    world = CarFactory.make({"horizon": 12, "update": 5, "lobbying": "0.5", "noticing": 1})
    kept = Replanner(PLANNING_AGENTS[agent], world)
    for step in simulate_steps(world, PLANNING_AGENTS[agent]):
        fresh = Replanner(PLANNING_AGENTS[agent], world)
        here = step.step, step.x, step.signal
        assert kept.list_optimal_actions(*here) == fresh.list_optimal_actions(*here)
        assert step.action == world.actions[fresh.list_optimal_actions(*here)[0]]


def test_a_present_that_no_plan_contains_gets_its_own() -> None:
    world = CarFactory.make({"horizon": 6})
    replanner = Replanner(PLANNING_AGENTS["citc"], world)
    replanner.find_plan(1, world.start(), 0)
    elsewhere = type(world.start())(4, 0)
    plan, state = replanner.find_plan(3, elsewhere, 0)
    assert (plan.first_step, state) == (3, 0)


@pytest.mark.slow
def test_long_horizons_do_not_exhaust_the_stack() -> None:
    simulation = simulate(Barricade(horizon=3000, update_step=1500), PLANNING_AGENTS["citc"])
    assert simulation.traces.count == 1
    assert (
        simulate(
            CarFactory.make({"horizon": 60, "noticing": 1, "lobbying": "0.5"}), PLANNING_AGENTS["citc"]
        ).traces.count
        >= 1
    )


def test_the_plan_knows_what_it_visits() -> None:
    plan = plan_of(Barricade(horizon=2), "citc")
    assert plan.n_states == 1 + 2
    known, unknown = (PlanningState(as_columns(x)) for x in (plan.world.learned.start(), BarricadeState(9, 9, 9, 9)))
    found = [int(plan.find(step, state)[0]) for step, state in ((1, known), (2, unknown), (99, known))]
    assert found == [0, -1, -1]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3), st.integers(-(10**9), 10**9)), min_size=1, max_size=40),
    st.booleans(),
)
def test_equal_states_share_an_index_and_are_found_again(rows, wide) -> None:
    columns = [np.array(column) for column in zip(*rows, strict=True)][: 3 if wide else 2]
    kept = [row[: len(columns)] for row in rows]
    index, indices, first = index_states(columns)
    assert len(set(kept)) == len(index) == len(first)
    assert all((indices[i] == indices[j]) == (kept[i] == kept[j]) for i in range(len(kept)) for j in range(len(kept)))
    assert (index.find(columns) == indices).all()
    assert (index.find([columns[0] + 11, *columns[1:]]) == -1).all()


def test_too_many_digits_are_refused() -> None:
    with pytest.raises(BadValue, match="fewer decimals"):
        index_states([np.array([0, 2**40]), np.array([0, 2**40])])
    with pytest.raises(BadValue, match="fewer digits"):
        simulate(CarFactory.make({"old_petrol": "1.00000000000000000001", "horizon": 2}), PLANNING_AGENTS["citc"])


def test_traces_count_list_and_compare() -> None:
    steps = {0: {"a": frozenset([1]), "b": frozenset([2])}, 1: {"c": frozenset([3])}, 2: {"c": frozenset([3])}, 3: {}}
    traces = collect_traces(0, lambda node: steps[node], 2)
    assert list(traces) == ["ac", "bc"]
    assert traces.count == 2
    assert traces == collect_traces(
        1, lambda n: {1: {"b": frozenset([5]), "a": frozenset([5])}, 5: {"c": frozenset([7])}}[n], 2
    )
    assert traces != collect_traces(1, lambda n: {1: {"a": frozenset([5])}, 5: {"c": frozenset([7])}}[n], 2)
    many = Traces(((), *((("a", n), ("b", n)) for n in range(100))))
    assert many.count == 2**100
    assert many.first(2) == ["a" * 100, "a" * 99 + "b"]


def test_chance_that_is_called_alike_is_one_trace() -> None:
    steps = {0: {"g": frozenset([1, 2])}, 1: {"x": frozenset([3])}, 2: {"x": frozenset([3]), "y": frozenset([3])}}
    assert list(collect_traces(0, lambda node: steps[node], 2)) == ["gx", "gy"]


@pytest.mark.parametrize("name", sorted(TERMINAL_WORLDS))
@pytest.mark.parametrize("agent", ["itf", "itc"])
def test_films_have_a_scene_a_step(name: str, agent: str) -> None:
    world = TERMINAL_WORLDS[name].make({"horizon": 8})
    scenes = make_simulation_film(world, PLANNING_AGENTS[agent])
    assert len(scenes) == 8
    last = scenes[-1]
    done = "".join(tick.text for tick in last.charts[0].ticks)
    assert done in set(simulate(world, PLANNING_AGENTS[agent]).traces)
    assert last.caption.startswith("step 8 of 8")
    assert ("signal", world.signals[0].name) == scenes[0].readings[0]
    assert bool(last.floor) == (name == "tamper_grid")


def test_the_film_shows_the_update_and_the_plan_to_resist_it() -> None:
    scenes = make_simulation_film(CarFactory.make({"lobbying": "0.5", "noticing": 1}), PLANNING_AGENTS["itc"])
    updated = [number for number, scene in enumerate(scenes) if "people update the terminal" in scene.caption]
    assert updated == [8]
    assert dict(scenes[8].readings)["signal"] == "old"
    assert dict(scenes[9].readings)["signal"] == "new"
    planned = ["".join(tick.text for tick in scene.charts[1].ticks) for scene in scenes]
    assert planned[8] != planned[9]
    assert planned[9] == "e" * 16


def test_the_operator_is_crossed_out_once_harmed() -> None:
    scenes = make_simulation_film(TERMINAL_WORLDS["tamper-grid"].make({}), PLANNING_AGENTS["itf"])
    crossed = [any(mark.crossed for mark in scene.marks) for scene in scenes]
    assert crossed == [False] * 3 + [True] * 17


def test_the_closed_form_where_resisting_does_not_pay() -> None:
    short = Barricade(horizon=7, update_step=4, crew_delay=2, units=6, building="0.1")
    assert count_resisting_steps(short) == 0
    assert list(simulate(short, PLANNING_AGENTS["itc"]).traces) == ["mmmm#www"]
    assert count_resisting_steps(Barricade(units=6)) == 4


@settings(deadline=None, max_examples=40)
@given(
    st.fixed_dictionaries(
        {
            "units": st.integers(1, 12),
            "update_step": st.integers(1, 10),
            "crew_delay": st.integers(1, 6),
            "horizon": st.integers(3, 24),
            "building": st.sampled_from(["0.1", "0.3", "0.5", "0.9", "0.99"]),
            "discount": st.sampled_from(["0.3", "0.5", "0.9", "0.99"]),
        }
    )
)
def test_the_closed_form_in_worlds_of_no_sweep(given_world: dict[str, object]) -> None:
    world = Barricade.make(given_world)
    traces = simulate(world, PLANNING_AGENTS["itc"]).traces
    assert {trace.partition("#")[0].count("b") for trace in traces} == {count_resisting_steps(world)}


@pytest.mark.parametrize("setting", [{"building": "0"}, {"building": "1"}, {"discount": "1"}])
def test_the_closed_form_says_where_it_ends(setting: dict[str, str]) -> None:
    with pytest.raises(BadValue, match="choose it between 0 and 1"):
        count_resisting_steps(Barricade.make(setting))


def test_numbers_are_read_exactly() -> None:
    assert as_fraction(0.1) == as_fraction("0.1") == as_fraction("1/10") == Fraction(1, 10)
    assert as_fraction(True) == 1
    for wrong in ("x", "", "1/0", float("nan"), float("inf"), None):
        with pytest.raises(BadValue, match="is not a fraction"):
            as_fraction(wrong, name="lobbying")


@pytest.mark.parametrize("setting", [{"batch": "1e400"}, {"gamble": "0.5", "jackpot": "1e400"}])
def test_cars_beyond_counting_are_refused(setting: dict[str, str]) -> None:
    with pytest.raises(BadValue, match="to be counted"):
        simulate(CarFactory.make(setting), PLANNING_AGENTS["itc"])


def test_unknown_settings_name_the_nearest() -> None:
    for name, kind in TERMINAL_WORLDS.items():
        with pytest.raises(UnknownName, match="horizon"):
            kind.make({"horizn": 3})
        assert {"horizon", "discount"} <= set(kind.parameters()), name


@pytest.mark.parametrize("name", ["itf", "itc", "citc", "fc"])
def test_a_present_before_that_of_the_first_plan_is_planned_anew(name):
    """As where one episode ends before another one has come as far: the plan of a late step says nothing about it."""
    world = TERMINAL_WORLDS["tamper_grid"].make({"horizon": "8"})
    x = type(world.start())(0, 0)
    replanner = Replanner(PLANNING_AGENTS[name], world)
    replanner.list_optimal_actions(8, x, 2)
    assert replanner.list_optimal_actions(6, x, 2) == Replanner(PLANNING_AGENTS[name], world).list_optimal_actions(
        6, x, 2
    )
