"""Twin: many worlds simulated at once give what each gives alone, in every number, trace and count."""

from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.planning.plan import OutcomeColumns, add_discounted, back_up_exactly
from counterfactual.planning_world import reward_function
from counterfactual.simulation.real_world import RealWorld, take_all_ties
from counterfactual.simulation.simulate import simulate
from counterfactual.simulation.traces import collect_traces
from counterfactual.simulation.world_rows import (
    LazyEntries,
    WorldRows,
    _simulate_rows_at_once,
    group_rows,
    simulate_rows,
)
from counterfactual.worlds import TERMINAL_WORLDS, TerminalWorld, limit_effort
from engine.effort import Effort
from engine.errors import BadValue

CARS = TERMINAL_WORLDS["car-factory"]
RULES: tuple[dict[str, object], ...] = (
    {},
    {"noticing": 1},
    {"noticing": 2, "patience": "3/2"},
    {"gamble": "3/5", "no_idling": 1},
    {"disable": 1, "press_now": 1, "button_output": "1/2"},
    {"breakdown": 5, "second_line": 3, "stop_signal": 1},
    {"petrol_line": 3, "investment": 1},
    {"device": 3},
    {"bribe_step": 3},
)


def random_worlds(key: int, rules: dict[str, object], count: int = 8) -> list[TerminalWorld[Any]]:
    random, worlds = Random(key), []
    for _ in range(count):
        lobbying, update = Fraction(random.randint(0, 25), random.choice((5, 10, 7))), random.randint(-1, 9)
        rewards = {"new_electric": Fraction(random.randint(-2, 6), 2), "old_petrol": random.choice((1, 2))}
        worlds.append(CARS.make({"horizon": 7, "lobbying": lobbying, "update": update} | rewards | rules))
    return worlds


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("agent", PLANNING_AGENTS.names())
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: ", ".join(rules) or "plain")
def test_rows_are_what_each_world_is_alone(agent: str, rules: dict[str, object]) -> None:
    worlds = random_worlds(len(rules), rules)
    planning = PLANNING_AGENTS[agent]
    assert simulate_rows(worlds, planning) == [simulate(world, planning) for world in worlds]


def test_worlds_of_all_kinds_in_any_order() -> None:
    worlds = [world for key, rules in enumerate(RULES) for world in random_worlds(key, rules, 3)]
    worlds += [TERMINAL_WORLDS["barricade"].make({"horizon": 6, "k": k}) for k in (1, 2, 3)]
    worlds += [CARS.make({"horizon": 5, "discount": "1/3"}), CARS.make({"horizon": 5, "batch": 7})]
    Random(1).shuffle(worlds)
    itf = PLANNING_AGENTS["itf"]
    assert simulate_rows(worlds, itf) == [simulate(world, itf) for world in worlds]
    assert simulate_rows([], itf) == []


def test_rows_share_one_plan_and_no_more_than_so_many() -> None:
    worlds = [CARS.make({"lobbying": Fraction(k, 10), "noticing": k % 2}) for k in range(20)]
    assert sorted(map(len, group_rows(worlds, 4))) == [2, 2, 4, 4, 4, 4]
    start = WorldRows(worlds=tuple(worlds[::2])).start()
    assert start.row.tolist() == list(range(10))
    assert len(set(start.deadline.tolist())) > 1


def test_bribes_and_devices_are_no_rows() -> None:
    for rules in ({"bribe_step": 3}, {"device": 3}):
        assert [len(places) for places in group_rows(random_worlds(1, rules), 50)] == [1] * 8


def test_rows_that_are_too_much_together_are_simulated_one_after_another() -> None:
    itc = PLANNING_AGENTS["itc"]
    worlds = [limit_effort(world, Effort(limit=10_000)) for world in random_worlds(3, {"noticing": 1}, 40)]
    rows = WorldRows(worlds=tuple(worlds))
    with pytest.raises(BadValue, match="states of a plan"):
        simulate(limit_effort(rows, worlds[0].effort), itc)
    assert _simulate_rows_at_once(worlds, itc) == []
    assert simulate_rows(worlds, itc) == [simulate(world, itc) for world in worlds]


def test_a_backup_in_one_fraction_is_a_product_and_a_sum() -> None:
    random = Random(5)
    for _ in range(300):
        reward, discount, later = (Fraction(random.randint(-30, 30), random.randint(1, 30)) for _ in range(3))
        assert add_discounted(reward, discount, later) == reward + discount * later


@pytest.mark.parametrize("forced", range(6))
def test_traces_that_begin_without_a_choice_are_those_of_the_graph(forced: int) -> None:
    def successors(node: tuple[int, int]) -> dict[str, frozenset[tuple[int, int]]]:
        step, at = node
        if step < forced:
            return {"f": frozenset([(step + 1, at + k) for k in range(2)])}
        return {glyph: frozenset([(step + 1, (at * 3 + k) % 4)]) for k, glyph in enumerate("ab"[: 1 + at % 2])}

    begun, length = [("", frozenset([(0, 0)]))], 5
    for _ in range(length):
        longer: dict[str, frozenset[tuple[int, int]]] = {}
        for trace, nodes in begun:
            for node in nodes:
                for glyph, following in successors(node).items():
                    longer[trace + glyph] = longer.get(trace + glyph, frozenset()) | following
        begun = list(longer.items())
    traces = collect_traces((0, 0), successors, length)
    assert list(traces) == sorted(trace for trace, _ in begun)
    assert traces.count == len(begun)


def test_equal_outcomes_share_a_backup_and_chance_is_averaged() -> None:
    later = [Fraction(1, 3), Fraction(5)]
    first = OutcomeColumns(np.array([1, 1, 2, 0]), np.array([3, 3, 3, 9]), np.array([0, 0, 0, 1]))
    second = OutcomeColumns(np.array([0, 0, 1, 1]), np.array([8, 7, 4, 4]), np.array([1, 1, 1, 1]))
    kind = np.array([0, 0, 0, 1])

    def reward_of(kind: int, outcome: int, units: int) -> Fraction:
        return Fraction(units + kind, 2) + 100 * outcome

    of_pair, values = back_up_exactly([first, second], kind, reward_of, Fraction(1, 2), later)
    certain, chance = Fraction(3, 2) + Fraction(1, 6), 102 + Fraction(5, 2)
    assert [values[place] for place in of_pair] == [
        certain,
        certain,
        (2 * certain + chance) / 3,
        chance + Fraction(1, 2),
    ]


def test_a_plan_asks_for_the_rewards_of_its_own_signal_alone() -> None:
    rows = WorldRows(worlds=tuple(CARS.make({"horizon": 4, "lobbying": Fraction(k, 10)}) for k in range(3)))
    asked = list[int]()

    class Counted(LazyEntries):
        def __getitem__(self, place: Any) -> Any:
            asked.append(place)
            return super().__getitem__(place)

    x = rows.start()
    ((_, _, events),) = rows.physics(1, x, np.zeros(3, dtype=np.int64))
    counted = Counted([partial(events.__getitem__, place) for place in range(len(events))])
    for signal in (0, 1):
        alone = reward_function(rows)(signal, tuple(events))
        assert np.array_equal(reward_function(rows)(signal, counted), alone)
    assert asked == [0, 1]


@pytest.mark.parametrize("agent", ["itf", "itc", "uncertain"])
def test_traces_read_off_arrays_are_those_collected_one_by_one(agent: str) -> None:
    for rules in ({}, {"noticing": 1}, {"gamble": "1/2"}):
        world = CARS.make({"horizon": 6, "update": 3, "lobbying": "1/2", **rules})
        real = RealWorld(world, PLANNING_AGENTS[agent])
        steps = list(real.unfold(take_all_ties))
        graph = real.make_trace_graph(steps)
        (traces,) = graph.traces(np.array([0]))
        assert traces == collect_traces((0, 0), graph.successors, 6)


def test_worlds_with_the_same_functions_share_one_table_that_nobody_can_change() -> None:
    one, other = (CARS.make({"lobbying": power}).reward_table[0] for power in ("0.1", "0.2"))
    assert one is other
    with pytest.raises(ValueError, match="read-only"):
        one[0, 0] = 1
