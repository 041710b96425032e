"""Twin: the planner against the printed formulas of section 4, written down as recursions over histories."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from multislot.planning.evaluate import evaluate
from multislot.worlds.environment import AgentHistory, copy_observation, copy_probability, state_after
from multislot.worlds.table import TableEnvironment
from multislot.worlds.table_json import parse_table, read_json
from tests.multislot.slot_worlds import environments

DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"
GAMMA = Fraction(2, 3)


class Remembering:
    """A table that remembers the forward masses and the plans that were worked out on it."""

    def __init__(self, table: TableEnvironment) -> None:
        self.table = table
        self.masses: dict[Any, Fraction] = {}
        self.plans: dict[Any, list[Fraction]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)


def forward(world: Any, slot: int, history: AgentHistory) -> Fraction:
    """nu(h^i = h), summed over the slot before."""
    if (slot, history) not in world.masses:
        world.masses[slot, history] = summed(world, slot, history)
    return world.masses[slot, history]


def summed(world: Any, slot: int, history: AgentHistory) -> Fraction:
    if not history:
        return Fraction(slot in world.initial)
    *past, (action, observation) = history
    return sum(
        (
            forward(world, before, tuple(past)) * joint(world, before, tuple(past), action).get((slot, observation), 0)
            for before in range(1, 7)
        ),
        Fraction(0),
    )


def joint(world: Any, slot: int, history: AgentHistory, action: Any) -> dict[Any, Fraction]:
    """mu(c^ij o^j | h^i a^i = ha); not asked of slots that cannot have the history."""
    if not forward(world, slot, history):
        return {}
    return copy_observation(world.law(state_after(world, history), slot, action))


def estimate(world: Any, history: AgentHistory) -> dict[int, Fraction]:
    masses = {slot: forward(world, slot, history) for slot in range(1, 7)}
    total = sum(masses.values())
    return {slot: mass / total for slot, mass in masses.items() if mass}


def cpy(world: Any, history: AgentHistory, steps: int) -> list[Fraction]:
    values = []
    for action in world.actions if steps else ():
        value = Fraction(0)
        for i, share in estimate(world, history).items():
            law = world.law(state_after(world, history), i, action)
            copied = copy_probability(law)
            for (j, o), p in copy_observation(law).items():
                later = max(cpy(world, (*history, (action, o)), steps - 1))
                if p:
                    value += share * copied[j] / sum(copied.values()) * p * (world.rewards[o] + GAMMA * later)
        values.append(value)
    return values or [Fraction(0)] * len(world.actions)


def stayed(world: Any, slot: int, history: AgentHistory) -> bool:
    """Whether the slot can have the history without the agent ever having left it."""
    return slot in world.initial and all(
        joint(world, slot, history[:t], action).get((slot, o), 0) for t, (action, o) in enumerate(history)
    )


def sta(world: Any, history: AgentHistory, steps: int, slot: int = 1) -> list[Fraction]:
    values = []
    for action in world.actions if steps else ():
        law = joint(world, slot, history, action) if stayed(world, slot, history) else {}
        staying = [(o, p) for (j, o), p in law.items() if j == slot]
        values.append(
            sum(
                (p * (world.rewards[o] + GAMMA * max(sta(world, (*history, (action, o)), steps - 1, slot))))
                for o, p in staying
            )
            + Fraction(0)
        )
    return values or [Fraction(0)] * len(world.actions)


def dyn(world: Any, history: AgentHistory, steps: int) -> list[Fraction]:
    if (history, steps) not in world.plans:
        here = estimate(world, history)
        world.plans[history, steps] = [
            sum((share * dyn_on(world, i, history, action, steps) for i, share in here.items()), Fraction(0))
            for action in world.actions
        ]
    return world.plans[history, steps]


def dyn_on(world: Any, slot: int, history: AgentHistory, action: Any, steps: int) -> Fraction:
    if not steps:
        return Fraction(0)
    total = Fraction(0)
    for (j, o), p in joint(world, slot, history, action).items():
        if j == slot and p:
            after = (*history, (action, o))
            planned = dyn(world, after, steps - 1)
            behaviour = world.actions[planned.index(max(planned))]
            total += p * (world.rewards[o] + GAMMA * dyn_on(world, slot, after, behaviour, steps - 1))
    return total


PRINTED = {"cpy": cpy, "sta:1": sta, "dyn": dyn}


@pytest.mark.parametrize(
    "name", ["kitchen_sink", "split_tree", "half_dup", "half_copy", "sleeping_beauty", "consistency"]
)
@pytest.mark.parametrize("value", PRINTED)
def test_reference_tables(name: str, value: str) -> None:
    table = parse_table(read_json(DATA / f"{name}.json"), name)
    world = Remembering(table)
    for history in [(), ((world.actions[0], next(iter(world.rewards))),)]:
        assert list(evaluate(table, value, 3, GAMMA, history).Q.values()) == PRINTED[value](world, history, 3)


@settings(deadline=None, max_examples=40)
@given(environments())
def test_random_tables(table: TableEnvironment) -> None:
    world = Remembering(table)
    for value, printed in PRINTED.items():
        for history in [(), ((0, "0"),)]:
            assert list(evaluate(table, value, 2, GAMMA, history).Q.values()) == printed(world, history, 2)
