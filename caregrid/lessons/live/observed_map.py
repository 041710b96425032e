"""One scenario on one map, every state of it at once: cells fall into classes, all other fields make up the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caregrid.lessons.live.observed import no_cell_rules
from craftworld.scenario import Scenario
from engine.contracts import called
from engine.mdp.columns import branches
from engine.mdp.mdp import Booleans

MOST_RESTS = 1024
MOST_STATES = 20_000


def observed_maps(scenarios: Sequence[Scenario]) -> list[ObservedMap]:
    """A scenario on several maps, the classes counted alike; BadValue where its states are not a cell and a rest."""
    for scenario in scenarios:
        _require_cell_and_rest(scenario)
    if len({scenario.sizes[1:] for scenario in scenarios}) > 1:
        raise no_cell_rules(scenarios[0], "its states depend on the map")
    named = [cell_classes(scenario) for scenario in scenarios]
    classes = tuple(sorted({name for names in named for name in names}))
    return [ObservedMap(scenario, names, classes) for scenario, names in zip(scenarios, named, strict=True)]


def cell_classes(scenario: Scenario) -> list[str]:
    """The class of every floor cell: the features on it, each with its number where the map shows several."""
    names: dict[Any, list[str]] = {}
    for feature, cells in sorted(scenario.grid.features.items()):
        for number, cell in enumerate(cells, start=1):
            names.setdefault(cell, []).append(f"{feature} {number}" if len(cells) > 1 else feature)
    return [" + ".join(names.get(cell, ())) for cell in scenario.grid.floor]


def rest_code(scenario: Scenario, state: Any) -> Any:
    """The number of a state's rest: its fields but the cell, the last one changing fastest."""
    code: Any = np.zeros_like(np.asarray(state[0]))
    for value, size in zip(state[1:], scenario.sizes[1:], strict=True):
        code = code * size + value
    return code


def every_rest(scenario: Scenario) -> list[Any]:
    """A state of each rest, in the order of their numbers, the agent in cell 0."""
    kind = type(next(iter(scenario.starts())))
    return [kind(0, *map(int, rest)) for rest in np.ndindex(*scenario.sizes[1:])]


class ObservedMap:
    """All states of a scenario on one map, cell by cell. names: each cell's class. classes: all there are."""

    def __init__(self, scenario: Scenario, names: Sequence[str], classes: tuple[str, ...]) -> None:
        self.scenario, self.classes, self._names = scenario, classes, names
        self.cells, self.rests = len(names), int(np.prod(scenario.sizes[1:], dtype=np.int64))
        self.number = np.array([classes.index(name) for name in names])
        kind, sizes = type(next(iter(scenario.starts()))), scenario.sizes[1:]
        fields = np.indices(sizes).reshape(len(sizes), self.rests)
        columns = [np.repeat(np.arange(self.cells), self.rests), *(np.tile(field, self.cells) for field in fields)]
        self.states = kind(*(np.asarray(column, dtype=np.int64) for column in columns))

    def key(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Class and rest of every state."""
        return np.repeat(self.number, self.rests), np.tile(np.arange(self.rests), self.cells)

    @property
    def start(self) -> tuple[str, int]:
        """Class and rest of the only start state."""
        [state] = self.scenario.starts()
        return self._names[state.cell], int(rest_code(self.scenario, state))

    @cached_property
    def terminal(self) -> Booleans:
        """bool[cells, rests]."""
        done = np.broadcast_to(called(self.scenario, "is_terminal", self.states), self.states[0].shape)
        return np.asarray(done, dtype=np.bool_).reshape(self.cells, self.rests)

    def steps(self, action: int) -> ObservedSteps:
        """What one action does in all states."""
        return ObservedSteps(self, action)

    def handover(self, number: int) -> tuple[str, NDArray[np.int64]]:
        """The class of the cell where a newcomer begins, and the number of its rest for every state."""
        scenario = self.scenario
        newcomer = called(scenario, "newcomers")[number]
        listed = branches(
            called(scenario, "handover", self.states, newcomer), len(self.states[0]), scenario, "handover"
        )
        begins = np.unique(listed[0].state[0][self.terminal.ravel()])
        name = self._names[begins[0]] if len(begins) == 1 else ""
        if len(listed) > 1 or not name or self._names.count(name) != 1:
            raise no_cell_rules(scenario, f"'{newcomer.name}' does not always begin at one feature")
        return name, rest_code(newcomer.scenario, listed[0].state)


class ObservedSteps:
    """Next cell, next rest and reward of one action: [cells, rests] each. moves: whether it ever changes the cell.

    directions: bool[4], which of the four moves it may be.
    """

    def __init__(self, seen: ObservedMap, action: int) -> None:
        scenario, states, shape = seen.scenario, seen.states, (seen.cells, seen.rests)
        listed = branches(called(scenario, "step", states, action), len(states[0]), scenario, "step")
        after = listed[0].state
        ends, available = (
            np.asarray(called(scenario, "ends", states, action, after)),
            np.asarray(called(scenario, "available", states, action)),
        )
        if len(listed) > 1 or ends.any() or not available.all():
            raise no_cell_rules(scenario, "chance, an unavailable action or a step that ends takes part")
        reward = np.broadcast_to(called(scenario, "reward", states, action, after), states[0].shape)
        self._seen, self._acting = seen, ~seen.terminal
        self._cell = np.asarray(after[0]).reshape(shape)
        self._rest = np.asarray(rest_code(scenario, after)).reshape(shape)
        self._reward = np.asarray(reward, dtype=np.float64).reshape(shape)
        here = np.arange(seen.cells)[:, None]
        stays = self._cell == here
        self.moves = bool((~stays & self._acting).any())
        self.directions = np.array(
            [((stays | (self._cell == scenario.moves[:, [d]])) | ~self._acting).all() for d in range(4)]
        )

    def observations(self, direction: int | None, ahead: bool) -> tuple[tuple[Any, ...], Any, Any, Any, Any]:
        """Key (bumped, class, rest), moved, rest, reward, and where a move can be told from a wall: a column each."""
        cells, rests = self._cell.shape
        here = np.arange(cells)
        target = here if direction is None else self._seen.scenario.moves[:, direction]
        free = target != here
        acting = self._acting.ravel()
        bumped = np.repeat((~free & ahead).astype(np.int64), rests)
        number = np.repeat(self._seen.number[target if ahead else here], rests)
        key = tuple(part[acting] for part in (bumped, number, np.tile(np.arange(rests), cells)))
        moved, certain = (self._cell != here[:, None]).ravel()[acting], np.repeat(free, rests)[acting]
        return key, moved, self._rest.ravel()[acting], self._reward.ravel()[acting], certain


def _require_cell_and_rest(scenario: Scenario) -> None:
    starts = list(scenario.starts())
    fields = starts[0]._fields
    if len(starts) > 1 or fields[:1] != ("cell",) or any(name.endswith("cell") for name in fields[1:]):
        raise no_cell_rules(scenario, "its states are more than one cell and a rest, or it has several starts")
    rests = int(np.prod(scenario.sizes[1:], dtype=np.int64))
    if rests > MOST_RESTS or rests * len(scenario.grid.floor) > MOST_STATES:
        raise no_cell_rules(scenario, f"it has {rests * len(scenario.grid.floor):,} states, more than {MOST_STATES:,}")
