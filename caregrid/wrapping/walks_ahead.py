"""The states of a stepped world that wait in a walk, explored by other processes, on any engine of runs.

A walk asks for the transitions of one state after the other, in the order in which states were found, and waiting ones
are explored before (`experiments.runs.ahead`). A worker makes the same environment, goes to each state by its snapshot,
and takes every action. What comes back is taken in the walk's own order, so that the table has the same bytes.

Only states whose keys say all that they hold travel. Whatever cannot be sent, and whatever fails elsewhere, is explored
here, where an error names the state. The engine starts before the walk, within which all global generators are steered.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from caregrid.wrapping.door import Door
from caregrid.wrapping.make_world import make_world
from caregrid.wrapping.settings import WorldSettings
from caregrid.wrapping.states import AttributeStates, UsersStates, iterate_parts
from caregrid.wrapping.worlds import SteppedWorld, WrappedWorld
from engine.mdp.enumeration.frozen_values import group_by_memory
from engine.mdp.enumeration.walk import Explore, Successor, WalkedState, explore_here
from engine.printable import in_worker
from experiments.runs.ahead import ChunkCall, ChunkDone, LastMade, WorkAhead, name_work
from experiments.runs.engines import ENGINES, EngineOptions, ExecutionEngine

StateTransitions = list[list[list[tuple[float, int, tuple[float, ...], bool]]]]
"""Of each state, for each action, the transitions: probability, number of the next state's key, rewards, the end."""


class Explored(NamedTuple):
    """What a worker found. keys, snapshots: of the states that follow. rows: the numbers in them count keys."""

    keys: list[Hashable]
    snapshots: list[Any]
    rows: StateTransitions


class Recipe(NamedTuple):
    """What a world was made from. name: of this walk among all of all processes."""

    name: str
    env: Any
    settings: WorldSettings


def explore_elsewhere(recipe: Recipe, snapshots: Sequence[Any]) -> ChunkDone[Explored]:
    """In a worker: every transition from some states."""
    world = _last.make(recipe.name, lambda: make_world(recipe.env, recipe.settings))
    assert isinstance(world, SteppedWorld)
    began = time.process_time()
    number_of: dict[Hashable, int] = {}
    rows: StateTransitions = []
    with world.walking():
        for snapshot in snapshots:
            key = world.enter_snapshot(snapshot)
            rows.append(
                [
                    [(p, number_of.setdefault(after, len(number_of)), reward, ended) for p, after, reward, ended in law]
                    for law in explore_here(world, key)
                ]
            )
        world.finish()
    snapshots_after = [world.snapshot_of(key) for key in number_of]
    return ChunkDone(Explored(list(number_of), snapshots_after, rows), time.process_time() - began)


_last: LastMade[WrappedWorld] = LastMade()
"""In a worker: the world of the last walk."""


class WalkAhead:
    """An `engine.mdp.enumeration.walk.Explore` for one walk.

    engine: where states are explored, started.
    """

    def __init__(self, world: SteppedWorld, recipe: Recipe, engine: ExecutionEngine) -> None:
        self._world = world
        self._recipe = recipe
        self._places: Sequence[WalkedState] = ()
        self._chunks: WorkAhead[int, Explored] = WorkAhead(engine, self._make_call)
        self._next = 0
        self._known: dict[int, list[Sequence[Successor]]] = {}
        self.close = self._chunks.close

    def explore(self, places: Sequence[WalkedState], number: int) -> list[Sequence[Successor]]:
        """Return the transitions of a state of the walk, by action."""
        self._places = places
        self._hand_out(number)
        while self._chunks.is_running and number not in self._known:
            self._take_in()
            self._hand_out(number)
        return self._known.pop(number, None) or explore_here(self._world, places[number].key)

    def _hand_out(self, number: int) -> None:
        first = max(self._next, number)
        self._next = self._chunks.hand_out(range(len(self._places)), first, is_asked=first == number)

    def _list_open(self, numbers: Sequence[int]) -> list[int]:
        """Leave out states in which episodes have ended."""
        return [number for number in numbers if not self._places[number].ended]

    def _make_call(self, numbers: Sequence[int]) -> ChunkCall[Explored]:
        snapshots = [self._world.snapshot_of(self._places[number].key) for number in self._list_open(numbers)]
        return explore_elsewhere, (self._recipe, snapshots)

    def _take_in(self) -> None:
        """Wait for the chunk that was handed out first, and note what it found."""
        taken = self._chunks.take_in()
        if taken is None:
            return
        numbers, (keys, snapshots, rows) = taken
        self._world.learn_snapshots(keys, snapshots)
        for number, laws in zip(self._list_open(numbers), rows, strict=True):
            self._known[number] = [[Successor(p, keys[n], r, ended) for p, n, r, ended in law] for law in laws]


def can_travel(world: WrappedWorld) -> bool:
    """Return whether other processes can explore states of a world: their keys say all that they hold.

    Pickling makes arrays of their own of views.
    """
    if not isinstance(world, SteppedWorld) or isinstance(world.env, Door) or not world.exact_keys:
        return False
    for key in world.starts():
        if any(len(arrays) > 1 for _, arrays in group_by_memory(iterate_parts(world.snapshot_of(key)))):
            return False
    return isinstance(world.states, AttributeStates | UsersStates)


@contextmanager
def explore_ahead(
    world: WrappedWorld, env: Any, settings: WorldSettings, engine: str | None, options: EngineOptions
) -> Iterator[Explore | None]:
    """How a walk through a world explores its states; None for here, one after the other.

    engine: its name; None for processes of this machine where there are to be several.
    """
    if (engine in (None, "serial") and options.workers in (None, 1)) or in_worker() or not can_travel(world):
        yield None
        return
    assert isinstance(world, SteppedWorld)
    running = ENGINES[engine or "local"](options)
    recipe = Recipe(name_work(), env, settings)
    running.start()
    ahead = WalkAhead(world, recipe, running)
    try:
        yield ahead.explore
    except BaseException:
        ahead.close(abandon=True)
        raise
    ahead.close()
