"""Empathy: the acting agent's own return in a newcomer's place, against shortest ways and those who want the same."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import caregrid
from craftworld.formulations import FORMULATIONS
from craftworld.formulations.empathy import ExchangedPlaces
from craftworld.scenario import Newcomer, Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue
from engine.mdp.tabulate import tabulate


def _advance(scenario: Scenario, state: tuple[int, ...], action: int) -> tuple[int, ...]:
    after: Any = scenario.step(type(next(iter(scenario.starts())))(*(np.array([field]) for field in state)), action)
    return tuple(int(np.asarray(field).reshape(-1)[0]) for field in after)


def _count_steps(scenario: Scenario, start: tuple[int, ...]) -> int:
    """The steps of a shortest way to an end, by a search that knows one state at a time."""
    kind: Any = type(next(iter(scenario.starts())))
    known, waiting = {start}, deque([(start, 0)])
    while waiting:
        state, steps = waiting.popleft()
        if np.all(scenario.is_terminal(kind(*(np.array([field]) for field in state)))):
            return steps
        for action in range(len(scenario.actions)):
            after = _advance(scenario, state, action)
            if after not in known:
                known.add(after)
                waiting.append((after, steps + 1))
    raise AssertionError(f"no way to an end from {start}")


def _hand_over(scenario: Scenario, state: Any, newcomer: Newcomer) -> tuple[int, ...]:
    handed: Any = scenario.handover(type(state)(*(np.array([int(field)]) for field in state)), newcomer)
    return tuple(int(np.asarray(field).reshape(-1)[0]) for field in handed)


@pytest.mark.parametrize("name", ["playroom", "kitchen_peanut"])
def test_what_the_agent_would_get_in_their_place_is_its_own_shortest_way(name: str) -> None:
    """In these worlds each of the acting agent's steps costs 1 and nothing else does."""
    scenario = make_scenario(SCENARIOS[name], None)
    mdp = tabulate(scenario, 1.0)
    places = ExchangedPlaces.make(scenario, mdp)
    ends = np.flatnonzero(mdp.terminal)
    steps: dict[tuple[int, ...], int] = {}
    for row, newcomer in enumerate(scenario.newcomers()):
        for end in ends[:: max(1, len(ends) // 12)].tolist():
            handed = _hand_over(scenario, mdp.states[end], newcomer)
            if handed not in steps:
                steps[handed] = _count_steps(scenario, handed)
            assert places.value[row, end] == -steps[handed]
    weighed = FORMULATIONS["empathic"].function(places)
    assert weighed == pytest.approx((places.weight * places.probability) @ places.value)


@pytest.mark.parametrize("name", ["playroom", "kitchen_salad"])
def test_empathy_is_right_where_others_want_the_same(name: str) -> None:
    empathic, informed = (
        caregrid.problem(name, formulation=formulation).breakpoints() for formulation in ("empathic", "expected")
    )
    assert empathic.rows() == informed.rows()


def test_empathy_is_wrong_where_they_do_not() -> None:
    """The next cook is allergic, and the acting agent is not: it never cleans up for her, whatever its care."""
    rows = caregrid.problem("kitchen_peanut", formulation="empathic").breakpoints().rows()
    assert {row["allergic cook"] for row in rows} == {-1000.0}
    informed = caregrid.problem("kitchen_peanut", formulation="expected").breakpoints().rows()
    assert informed[-1]["allergic cook"] > -1000.0


def test_a_world_in_whose_other_places_the_agent_could_not_be_is_refused() -> None:
    assert not ExchangedPlaces.applies(make_scenario(SCENARIOS["garden"], None))
    with pytest.raises(BadValue, match="needs newcomers whose states the acting agent could be in"):
        caregrid.problem("garden", formulation="empathic").breakpoints()


@pytest.mark.parametrize("name", ["empathic", "empowerment"])
def test_empathy_and_empowerment_are_methods_of_the_bench(name: str) -> None:
    from experiments.bench.suites.caring_worlds import list_caring_methods

    assert (name, None) in list_caring_methods("kitchen_salad", quick=True)
