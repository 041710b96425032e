"""Agents that know the present step: those that look a few steps ahead, or want something else later, are right."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from counterfactual.agents import PlanningAgent
from counterfactual.columns import as_column, as_columns, as_int, as_ints
from counterfactual.contract_checks import check_planning_agent
from counterfactual.planning_world import (
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    list_joint_outcomes,
    reward_function,
)
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import TERMINAL_WORLDS, TerminalWorld
from engine.errors import ContractBroken
from tests.counterfactual.table_world import TableWorld

Weight = Callable[[int, int], int]
"""(present step, planned step) -> what a reward counts for."""


def weighing(weight: Weight) -> PlanningAgent:
    """ITF, but for what it makes of rewards, seen from the present."""

    def agent(learned: TerminalWorld[Any], signal: int, step: int) -> PlanningWorld:
        reward = reward_function(learned)

        def outcomes(planned: int, now: PlanningState, action: Any) -> Iterator[PlannedOutcome]:
            physics = learned.physics_given(now.signal, planned, now.x, action)
            for chance, next_x, events, sent in list_joint_outcomes(
                learned, physics, now.signal, planned, now.x, action
            ):
                counted = weight(step, planned) * reward(now.signal, events)
                yield PlannedOutcome(chance, PlanningState(next_x, sent), counted)

        return PlanningWorld(learned, outcomes)

    return PlanningAgent(agent)


def plain_traces(world: TerminalWorld[Any], weight: Weight) -> set[str]:
    """The same agent in plain recursion: at each real step, all best actions of a search that begins there."""
    state, (table, _) = type(world.start()), world.reward_table

    @cache
    def outcomes(step: int, x: Any, signal: int, action: int) -> list[tuple[Fraction, int, Any, int]]:
        given = as_column(signal, 1), step, as_columns(x), as_column(action, 1)
        possible = [
            (as_int(w), as_ints(events), state(*as_ints(next_x)), as_int(sent))
            for w, next_x, events, sent in list_joint_outcomes(world, world.physics_given(*given), given[0], *given[1:])
        ]
        total = sum(w for w, *_ in possible)
        rewards = [sum(int(r) * n for r, n in zip(table[signal], events, strict=True)) for _, events, *_ in possible]
        return [(Fraction(w, total), r, x, i) for (w, _, x, i), r in zip(possible, rewards, strict=True) if w]

    def value(present: int, step: int, x: Any, signal: int, action: int) -> Fraction:
        total = Fraction(0)
        for p, r, next_x, sent in outcomes(step, x, signal, action):
            later = best(present, step + 1, next_x, sent) if step < world.horizon else Fraction(0)
            total += p * (weight(present, step) * r + world.discount * later)
        return total

    @cache
    def best(present: int, step: int, x: Any, signal: int) -> Fraction:
        return max(value(present, step, x, signal, action) for action in range(len(world.actions)))

    def follow(step: int, x: Any, signal: int) -> Iterator[str]:
        if step > world.horizon:
            yield ""
            return
        values = [value(step, step, x, signal, action) for action in range(len(world.actions))]
        for action, number in enumerate(values):
            for _, _, next_x, sent in outcomes(step, x, signal, action) if number == max(values) else ():
                yield from (world.actions[action] + rest for rest in follow(step + 1, next_x, sent))

    return set(follow(1, world.start(), 0))


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    "weight",
    [
        lambda present, planned: int(planned == present),
        lambda present, planned: int(planned < present + 2),
        lambda present, planned: 1 if present < 3 else -1,
        lambda present, planned: 10 if planned == present else planned,
    ],
    ids=["myopic", "two steps", "contrary later", "inconsistent"],
)
def test_each_real_step_is_planned_from_that_step(weight: Weight) -> None:
    for key in range(12):
        world = TableWorld(key, terminal_key=key % 3, feedback=bool(key % 2))
        found = {trace.replace("#", "") for trace in simulate(world, weighing(weight)).traces}
        assert found == plain_traces(world, weight), key


@pytest.mark.parametrize("ahead", [1, 2, 4])
def test_an_agent_that_looks_a_few_steps_ahead_lobbies_late_or_never(ahead: int) -> None:
    world = TERMINAL_WORLDS["car-factory"].make({"lobbying": "0.6", "horizon": 9})
    found = {t.replace("#", "") for t in simulate(world, weighing(lambda now, then: int(then < now + ahead))).traces}
    assert found == plain_traces(world, lambda now, then: int(then < now + ahead))
    assert all(trace.startswith("p" * (6 - ahead)) for trace in found)


def test_the_checker_calls_them_at_other_steps_too() -> None:
    check_planning_agent(weighing(lambda present, planned: int(planned < present + 2)))

    def last(learned: TerminalWorld[Any], signal: int, step: int) -> PlanningWorld:
        return weighing(lambda present, planned: 1 // (learned.horizon - present))(learned, signal, step)

    with pytest.raises(ContractBroken, match="ZeroDivisionError"):
        check_planning_agent(last)


def test_a_future_self_that_knows_the_step_plans_at_its_own() -> None:
    """A myopic agent does not mind what becomes of its new function; its successor makes petrol cars to the end."""
    settings = {"horizon": 8, "change_new": 2, "changed_petrol": "3", "lobbying": "0.5"}
    world = TERMINAL_WORLDS["car-factory"].make(settings)
    myopic = weighing(lambda present, planned: int(planned == present))
    assert simulate(world, myopic).traces.first(9) == ["p2pppp#pp", "pppppp#ee"]
