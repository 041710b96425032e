"""Many worlds of one kind simulated as one: the number of a row is one more column of the state.

    X = (row, X of the world in that row)        features: the reward of a step under each signal of the row's world

A world says which of its parameters may differ between rows (`row_parameters`), and which of its numbers depend on
them (`row_numbers`): there these become columns, and the world's own lines move the states of all rows.
"""

from __future__ import annotations

from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, Entries, Flags, add_up, as_columns, is_zero
from counterfactual.planning.plan import Plan
from counterfactual.simulation.real_world import RealWorld
from counterfactual.simulation.simulate import Simulation, collect_simulations, simulate
from counterfactual.worlds import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld, limit_effort
from engine.errors import BadValue

ROWS_AT_ONCE = 100


def group_rows(worlds: Sequence[TerminalWorld[Any]], most: int) -> Iterator[list[int]]:
    """Yield the places of worlds that differ in their row parameters alone, at most so many together."""
    alike: dict[Any, list[int]] = defaultdict(list)
    for place, world in enumerate(worlds):
        alike[_identify_kind(world) if world.row_parameters else place].append(place)
    for places in alike.values():
        size = most if _has_rows(worlds[places[0]]) else 1
        for first in range(0, len(places), size):
            yield places[first : first + size]


def _has_rows(world: TerminalWorld[Any]) -> bool:
    """Return whether its rewards are all that its actions change, and change alike in every term of a plan."""
    if not world.row_parameters or world.has_future_selves:
        return False
    events = tuple(np.array([1]) for _ in world.features)
    return world.events_in_correction(as_columns(world.start()), events) is events


def _identify_kind(world: TerminalWorld[Any]) -> tuple[Any, ...]:
    others = tuple(getattr(world, each.name) for each in fields(world) if each.name not in world.row_parameters)
    return type(world), others, len(world.signals), world.reward_table[1], world.effort


class LazyEntries(Sequence[Entries]):
    """Entries that are computed at access: a plan needs the rewards of one signal alone."""

    def __init__(self, entries: Sequence[Callable[[], Entries]]) -> None:
        self._entries = entries

    def __getitem__(self, place: Any) -> Any:
        return self._entries[place]()

    def __len__(self) -> int:
        return len(self._entries)


class RowTable:
    """A number by action for each of n rows: index it with n actions."""

    def __init__(self, table: Column, rows: Column) -> None:
        self._entries = table.reshape(-1)
        self._first = rows * table.shape[1]

    def __getitem__(self, action: Column) -> Column:
        entries: Column = self._entries.take(self._first + action)
        return entries


@dataclass(frozen=True)
class WorldRows(TerminalWorld[Any]):
    """Worlds as rows of one. worlds: of one kind, as `group_rows` finds them."""

    worlds: tuple[TerminalWorld[Any], ...] = ()

    name = "rows"

    @property
    def _first(self) -> TerminalWorld[Any]:
        return self.worlds[0]

    @cached_property
    def action_names(self) -> Any:  # type: ignore[override]
        """Those of the worlds."""
        return self._first.action_names

    @cached_property
    def horizon(self) -> int:  # type: ignore[override]
        """That of the worlds."""
        return self._first.horizon

    @cached_property
    def discount(self) -> Fraction:  # type: ignore[override]
        """That of the worlds."""
        return self._first.discount

    @cached_property
    def reward_scale(self) -> Fraction:  # type: ignore[override]
        """That of the worlds."""
        return self._first.reward_scale

    @cached_property
    def features(self) -> tuple[str, ...]:  # type: ignore[override]
        """The reward under each signal."""
        return tuple(f"reward under {signal.name}" for signal in self._first.signals)

    @cached_property
    def signals(self) -> tuple[Signal, ...]:  # type: ignore[override]
        """Each signal rewards its own feature."""
        unit = self._first.reward_table[1]
        count = len(self._first.signals)
        return tuple(
            Signal(signal.name, tuple(unit if place == feature else Fraction(0) for feature in range(count)))
            for place, signal in enumerate(self._first.signals)
        )

    def start(self) -> Any:
        """Return the initial states of all rows."""
        return self._start

    @cached_property
    def _start(self) -> Any:
        starts = zip(*(world.start() for world in self.worlds), strict=True)
        return self._state(np.arange(len(self.worlds)), *(np.array(entries, dtype=np.int64) for entries in starts))

    def physics(self, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """That of each row's world."""
        return self._add_rows(x.row, self._select_rows(x.row).physics(step, self._make_inner_state(x), action))

    def physics_given(self, signal: Column, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """That of each row's world."""
        return self._add_rows(
            x.row, self._select_rows(x.row).physics_given(signal, step, self._make_inner_state(x), action)
        )

    def terminal(self, signal: Column, step: int, x: Any, action: Column, next_x: Any) -> Sequence[SignalOutcome]:
        """That of each row's world."""
        return self._select_rows(x.row).terminal(
            signal, step, self._make_inner_state(x), action, self._make_inner_state(next_x)
        )

    def allows(self, step: int, x: Any, action: Column) -> Flags:
        """Return what each row's world allows."""
        return self._select_rows(x.row).allows(step, self._make_inner_state(x), action)

    def updates(self, step: int, x: Any, next_x: Any) -> Flags:
        """Return whether people updated each row's terminal."""
        return self._select_rows(x.row).updates(step, self._make_inner_state(x), self._make_inner_state(next_x))

    def manipulates(self, step: int, x: Any, action: Column, next_x: Any) -> Flags:
        """Return the world's."""
        return self._select_rows(x.row).manipulates(
            step, self._make_inner_state(x), action, self._make_inner_state(next_x)
        )

    def _add_rows(self, rows: Column, outcomes: Sequence[PhysicsOutcome[Any]]) -> list[PhysicsOutcome[Any]]:
        return [
            PhysicsOutcome(
                weight,
                self._state(rows, *next_x),
                LazyEntries([partial(self._sum_rewards, rewards, rows, events) for rewards in self._reward_rows]),
            )
            for weight, next_x, events in outcomes
        ]

    def _sum_rewards(self, of_features: list[Entries], rows: Column, events: Sequence[Entries]) -> Entries:
        """Return the reward of n steps under one signal, in units of the `reward_table`."""
        return add_up(
            (reward if isinstance(reward, int) else reward.take(rows)) * count
            for reward, count in zip(of_features, events, strict=True)
            if not (is_zero(reward) or is_zero(count))
        )

    def _select_rows(self, rows: Column) -> TerminalWorld[Any]:
        """Make the world whose numbers are those of each row, and keep it while the rows stay the same."""
        if self._latest and self._latest[0][0] is rows:
            return self._latest[0][1]
        self._latest.clear()
        world = copy(self._first)
        for name, numbers in self._row_numbers.items():
            vars(world)[name] = numbers.take(rows) if numbers.ndim == 1 else RowTable(numbers, rows)
        self._latest.append((rows, world))
        return world

    @cached_property
    def _latest(self) -> list[tuple[Column, TerminalWorld[Any]]]:
        return []

    def _make_inner_state(self, x: Any) -> Any:
        return self._inner_state(*x[1:])

    @cached_property
    def _reward_rows(self) -> list[list[Entries]]:
        """By signal and feature, the reward in each row: int64[rows], or one number for all."""
        tables = np.stack([world.reward_table[0] for world in self.worlds], axis=-1)
        return [[int(row[0]) if (row == row[0]).all() else row for row in of_signal] for of_signal in tables]

    @cached_property
    def _row_numbers(self) -> dict[str, Column]:
        numbers = {name: np.array([getattr(w, name) for w in self.worlds]) for name in self._first.row_numbers}
        return {name: entries for name, entries in numbers.items() if (entries != entries[:1]).any()}

    @cached_property
    def _inner_state(self) -> Any:
        return type(self._first.start())

    @cached_property
    def _state(self) -> Any:
        return namedtuple("RowState", ["row", *self._inner_state._fields])


def simulate_rows(worlds: Sequence[TerminalWorld[Any]], agent: PlanningAgent) -> list[Simulation]:
    """Simulate an agent in many worlds; those that differ in their `row_parameters` alone are planned at once.

    The results are those of `simulate`, to the last digit, in the order of the worlds.
    """
    found: dict[int, Simulation] = {}
    for places in group_rows(worlds, ROWS_AT_ONCE):
        rows = [worlds[place] for place in places]
        found.update(
            zip(places, _simulate_rows_at_once(rows, agent) or [simulate(world, agent) for world in rows], strict=True)
        )
    return [found[place] for place in range(len(worlds))]


def _simulate_rows_at_once(worlds: Sequence[TerminalWorld[Any]], agent: PlanningAgent) -> list[Simulation]:
    """Return the simulations of worlds of one kind; none where they are too much work at once."""
    if len(worlds) == 1:
        return []
    rows = limit_effort(WorldRows(worlds=tuple(worlds)), worlds[0].effort)

    def count_planned_states(plan: Plan) -> list[int]:
        counts = [np.bincount(layer.states.x.row, minlength=len(worlds)) for layer in plan.layers[:-1]]
        states: list[int] = np.sum(counts, axis=0).tolist()
        return states

    try:
        return collect_simulations(RealWorld(rows, agent), count_planned_states)
    except BadValue:
        return []
