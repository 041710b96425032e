"""A world's rules as tables that know no map: what an action does depends on the features of a cell and on the rest.

A state is a cell and the rest of its fields. Cells fall into classes by the features drawn on them: plain floor,
"exit", "key place 1", "key place 2" (several of a feature are counted in reading order). In a world of cell rules

    (moved, rest', reward) = f(action, bumped into a wall, class of the cell here or ahead, rest)

holds on every map, so that f, finite, is all that a page needs in order to make the table of a map that is drawn in
it. The rules are observed on several maps, every state at once: the world's own map, and some with its features and
walls elsewhere. Tables filled by observations notice when two of them contradict each other: a world in which they do
(a fence that blocks a cell, a rule about distances) has no cell rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.scenario import Scenario
from engine.contracts import call_method
from engine.errors import BadValue, CaregridError
from engine.grid import GridMap
from engine.mdp.columns import read_branches
from engine.mdp.mdp import Booleans, Floats
from engine.randomness.counter_based import randrange, split


def refuse_cell_rules(scenario: Scenario, why: str) -> BadValue:
    """Return the refusal: why a world's map cannot be changed in the page."""
    return BadValue(why, place=scenario.name, remedy="its map cannot be changed in the page")


class Seen:
    """A number for each key. values: f64[shape], nan where nothing was seen."""

    def __init__(self, scenario: Scenario, shape: tuple[int, ...]) -> None:
        self._scenario = scenario
        self.values: Floats = np.full(shape, np.nan)

    @property
    def seen(self) -> Booleans:
        """Where something was seen."""
        return ~np.isnan(self.values)

    def add(self, key: tuple[Any, ...], value: Any) -> None:
        """Add numbers at keys; BadValue where another one was seen there."""
        if not self.agrees(key, value):
            raise refuse_cell_rules(self._scenario, "what its cells do depends on more than their features")

    def agrees(self, key: tuple[Any, ...], value: Any) -> bool:
        """Add numbers at keys; whether each is the first one there or the same as before."""
        numbers = np.asarray(value, dtype=np.float64)
        before = self.values[key]
        self.values[key] = numbers
        return bool((np.isnan(before) | (before == numbers)).all() and (self.values[key] == numbers).all())


class ObservedEffects:
    """What an action does, key by key: whether it moves, the rest afterwards, the reward."""

    def __init__(self, scenario: Scenario, shape: tuple[int, ...]) -> None:
        self._tables = tuple(Seen(scenario, shape) for _ in range(3))

    def add(self, key: tuple[Any, ...], moved: Any, rest: Any, reward: Any, certain: Any) -> bool:
        """Whether observations agree with those before. certain: where it can be said whether the agent moves."""
        moves, rests, rewards = self._tables
        parts = tuple(part[certain] for part in key)
        return moves.agrees(parts, moved[certain]) and rests.agrees(key, rest) and rewards.agrees(key, reward)

    def columns(self) -> tuple[Booleans, Any, Floats, Booleans]:
        """Moved, rest, reward, and where they were seen; a step only seen into walls counts as a move."""
        moves, rests, rewards = self._tables
        seen = rests.seen
        moved = np.where(moves.seen, moves.values, 1.0) == 1.0
        return moved, np.where(seen, rests.values, 0).astype(np.int64), np.where(seen, rewards.values, 0.0), seen


MOST_RESTS = 1024
MOST_OBSERVED_STATES = 20_000


def observe_maps(scenarios: Sequence[Scenario]) -> list[ObservedMap]:
    """A scenario on several maps, the classes counted alike; BadValue where its states are not a cell and a rest."""
    for scenario in scenarios:
        _require_cell_and_rest(scenario)
    if len({scenario.sizes[1:] for scenario in scenarios}) > 1:
        raise refuse_cell_rules(scenarios[0], "its states depend on the map")
    named = [find_cell_classes(scenario) for scenario in scenarios]
    classes = tuple(sorted({name for names in named for name in names}))
    return [ObservedMap(scenario, names, classes) for scenario, names in zip(scenarios, named, strict=True)]


def find_cell_classes(scenario: Scenario) -> list[str]:
    """Return the class of every floor cell: the features on it, each with its number where the map shows several."""
    names: dict[Any, list[str]] = {}
    for feature, cells in sorted(scenario.grid.features.items()):
        for number, cell in enumerate(cells, start=1):
            names.setdefault(cell, []).append(f"{feature} {number}" if len(cells) > 1 else feature)
    return [" + ".join(names.get(cell, ())) for cell in scenario.grid.floor]


def number_rest(scenario: Scenario, state: Any) -> Any:
    """Return the number of a state's rest: its fields but the cell, the last one changing fastest."""
    code: Any = np.zeros_like(np.asarray(state[0]))
    for value, size in zip(state[1:], scenario.sizes[1:], strict=True):
        code = code * size + value
    return code


def list_rests(scenario: Scenario) -> list[Any]:
    """Return a state of each rest, in the order of their numbers, the agent in cell 0."""
    kind = type(next(iter(scenario.starts())))
    return [kind(0, *map(int, rest)) for rest in np.ndindex(*scenario.sizes[1:])]


class ObservedMap:
    """All states of a scenario on one map, cell by cell. names: each cell's class. classes: all there are."""

    def __init__(self, scenario: Scenario, names: Sequence[str], classes: tuple[str, ...]) -> None:
        self.scenario = scenario
        self.classes = classes
        self._names = names
        self.cells = len(names)
        self.rests = int(np.prod(scenario.sizes[1:], dtype=np.int64))
        self.number = np.array([classes.index(name) for name in names])
        kind = type(next(iter(scenario.starts())))
        sizes = scenario.sizes[1:]
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
        return self._names[state.cell], int(number_rest(self.scenario, state))

    @cached_property
    def terminal(self) -> Booleans:
        """bool[cells, rests]."""
        done = np.broadcast_to(call_method(self.scenario, "is_terminal", self.states), self.states[0].shape)
        return np.asarray(done, dtype=np.bool_).reshape(self.cells, self.rests)

    def steps(self, action: int) -> ObservedSteps:
        """Return what one action does in all states."""
        return ObservedSteps(self, action)

    def handover(self, number: int) -> tuple[str, NDArray[np.int64]]:
        """Return the class of the cell where a newcomer begins, and the number of its rest for every state."""
        scenario = self.scenario
        newcomer = call_method(scenario, "newcomers")[number]
        listed = read_branches(
            call_method(scenario, "handover", self.states, newcomer), len(self.states[0]), scenario, "handover"
        )
        begins = np.unique(listed[0].state[0][self.terminal.ravel()])
        name = self._names[begins[0]] if len(begins) == 1 else ""
        if len(listed) > 1 or not name or self._names.count(name) != 1:
            raise refuse_cell_rules(scenario, f"'{newcomer.name}' does not always begin at one feature")
        return name, number_rest(newcomer.scenario, listed[0].state)


class ObservedSteps:
    """Next cell, next rest and reward of one action: [cells, rests] each. moves: whether it ever changes the cell.

    directions: bool[4], which of the four moves it may be.
    """

    def __init__(self, seen: ObservedMap, action: int) -> None:
        scenario = seen.scenario
        states = seen.states
        shape = (seen.cells, seen.rests)
        listed = read_branches(call_method(scenario, "step", states, action), len(states[0]), scenario, "step")
        after = listed[0].state
        ends = np.asarray(call_method(scenario, "ends", states, action, after))
        available = np.asarray(call_method(scenario, "available", states, action))
        if len(listed) > 1 or ends.any() or not available.all():
            raise refuse_cell_rules(scenario, "chance, an unavailable action or a step that ends takes part")
        reward = np.broadcast_to(call_method(scenario, "reward", states, action, after), states[0].shape)
        self._seen = seen
        self._acting = ~seen.terminal
        self._cell = np.asarray(after[0]).reshape(shape)
        self._rest = np.asarray(number_rest(scenario, after)).reshape(shape)
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
        moved = (self._cell != here[:, None]).ravel()[acting]
        certain = np.repeat(free, rests)[acting]
        return key, moved, self._rest.ravel()[acting], self._reward.ravel()[acting], certain


def _require_cell_and_rest(scenario: Scenario) -> None:
    starts = list(scenario.starts())
    fields = starts[0]._fields
    if len(starts) > 1 or fields[:1] != ("cell",) or any(name.endswith("cell") for name in fields[1:]):
        raise refuse_cell_rules(scenario, "more than the agent moves in it, or it begins in several ways")
    rests = int(np.prod(scenario.sizes[1:], dtype=np.int64))
    if rests > MOST_RESTS or rests * len(scenario.grid.floor) > MOST_OBSERVED_STATES:
        raise refuse_cell_rules(
            scenario, f"it has {rests * len(scenario.grid.floor):,} states, more than {MOST_OBSERVED_STATES:,}"
        )


PROBES = 40
TRIES = 300
WALLS_IN_100 = 25
PROBE_KEY = split(0, "probe maps")


def vary_map(scenario: Scenario, make: Callable[[GridMap], Scenario]) -> list[GridMap]:
    """Return the scenario's own map first, then others of its size; fewer where its features leave no room to move."""
    grids = [scenario.grid]
    for number in range(TRIES):
        if len(grids) > PROBES:
            break
        try:
            grid = scenario.parse_map("\n".join(rearrange(scenario.grid.rows, split(PROBE_KEY, str(number)))))
            make(grid)
        except CaregridError:
            continue
        grids.append(grid)
    return grids


def rearrange(rows: tuple[str, ...], key: int) -> list[str]:
    """Return a drawing with the same border and glyphs, each at a random cell, and random walls between them."""
    height, width = len(rows), len(rows[0])
    inner = [(r, c) for r in range(1, height - 1) for c in range(1, width - 1)]
    glyphs = [glyph for row in rows for glyph in row if glyph not in "# ."]
    for last in range(len(inner) - 1, 0, -1):
        other = randrange(last + 1, key, last)
        inner[last], inner[other] = inner[other], inner[last]
    drawn = [["#" if r in (0, height - 1) or c in (0, width - 1) else " " for c in range(width)] for r in range(height)]
    for number, (r, c) in enumerate(inner):
        if number < len(glyphs):
            drawn[r][c] = glyphs[number]
        elif randrange(100, key, len(inner) + number) < WALLS_IN_100:
            drawn[r][c] = "#"
    return ["".join(row) for row in drawn]


@dataclass(frozen=True)
class ActionRule:
    """One action. direction: which of the four moves it may make; ahead: whether the cell ahead decides.

    moved, rest, reward, seen: [2, classes, rests], the effect by whether it bumps, by class and rest, and whether it
    was observed; where `ahead` is false the first half alone is used.
    """

    name: str
    direction: int | None
    ahead: bool
    moved: Booleans
    rest: NDArray[np.int64]
    reward: Floats
    seen: Booleans


@dataclass(frozen=True)
class NewcomerRules:
    """A newcomer: the rules it acts by, the class of the cell where it begins, and [classes, rests] -> its first rest.

    rest is -1 where the acting agent does not end.
    """

    rules: CellRules
    begins: str
    rest: NDArray[np.int64]


@dataclass(frozen=True)
class CellRules:
    """All rules of one agent. start: class and rest. terminal: bool[classes, rests]. newcomers: by name."""

    classes: tuple[str, ...]
    start: tuple[str, int]
    actions: tuple[ActionRule, ...]
    terminal: Booleans
    newcomers: Mapping[str, NewcomerRules]


def observe_cell_rules(scenarios: Sequence[Scenario]) -> CellRules:
    """Return the rules of a world, observed on several maps with the same features; BadValue where it has none."""
    maps = observe_maps(scenarios)
    acting = _observe_one_agent(maps)
    newcomers = call_method(maps[0].scenario, "newcomers")
    handovers = {newcomer.name: _observe_handover(maps, number) for number, newcomer in enumerate(newcomers)}
    return replace(acting, newcomers=handovers)


def _observe_one_agent(maps: Sequence[ObservedMap]) -> CellRules:
    """Return the rules that one agent acts by, whoever comes afterwards."""
    first = maps[0].scenario
    classes = maps[0].classes
    terminal = Seen(first, (len(classes), maps[0].rests))
    for world in maps:
        terminal.add(world.key(), world.terminal.ravel())
    starts = {world.start for world in maps}
    if len(starts) > 1:
        raise refuse_cell_rules(first, "where and how it starts depends on the map")
    rules = [_observe_action(maps, action) for action in range(len(first.actions))]
    return CellRules(classes, starts.pop(), tuple(rules), terminal.values == 1.0, {})


def _observe_action(maps: Sequence[ObservedMap], action: int) -> ActionRule:
    """Return the rule of an action by the cell here; by the cell ahead where those contradict each other."""
    scenario = maps[0].scenario
    name = scenario.actions[action]
    steps = [world.steps(action) for world in maps]
    fits = np.logical_and.reduce([step.directions for step in steps])
    moving = any(step.moves for step in steps)
    if moving and not fits.any():
        raise refuse_cell_rules(scenario, f"'{name}' leads to other cells than the next one")
    direction = int(fits.argmax()) if moving else None
    shape = (2, len(maps[0].classes), maps[0].rests)
    for ahead in (False, True) if moving else (False,):
        observed = ObservedEffects(scenario, shape)
        if all(observed.add(*step.observations(direction, ahead)) for step in steps):
            return ActionRule(name, direction, ahead, *observed.columns())
    raise refuse_cell_rules(scenario, f"a cell's features and the rest do not say what '{name}' does")


def _observe_handover(maps: Sequence[ObservedMap], number: int) -> NewcomerRules:
    """Return the rules of one who comes afterwards, and what is handed over to it."""
    listed = [world.handover(number) for world in maps]
    first = maps[0].scenario
    if len({beginning for beginning, _ in listed}) > 1:
        raise refuse_cell_rules(first, "where those who come afterwards begin depends on the map")
    handed = Seen(first, (len(maps[0].classes), maps[0].rests))
    for world, (_, rests) in zip(maps, listed, strict=True):
        ends = world.terminal.ravel()
        handed.add(tuple(part[ends] for part in world.key()), rests[ends])
    rules = _observe_one_agent(
        observe_maps([call_method(world.scenario, "newcomers")[number].scenario for world in maps])
    )
    return NewcomerRules(rules, listed[0][0], np.where(handed.seen, handed.values, -1).astype(np.int64))
