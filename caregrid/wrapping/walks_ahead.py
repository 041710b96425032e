"""The states of a stepped world that wait in a walk, explored by other processes, on any engine of runs.

A walk asks for the transitions of one state after the other, in the order in which states were found, and waiting ones
are explored before (`experiments.runs.ahead`). A worker makes the same environment, goes to each state by its snapshot,
and takes every action. What comes back is taken in the walk's own order, so that the table has the same bytes. This
process does not wait for them: it explores states, too, those that nobody has begun first.

Only states whose keys say all that they hold travel. Whatever cannot be sent, and whatever fails elsewhere, is explored
here, where an error names the state. The engine starts before the walk, within which all global generators are steered.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from caregrid.wrapping.door import Door
from caregrid.wrapping.make_world import make_world
from caregrid.wrapping.settings import WorldSettings
from caregrid.wrapping.states import AttributeStates, UsersStates, iterate_parts
from caregrid.wrapping.worlds import SteppedWorld, WrappedWorld
from engine.errors import CaregridError
from engine.mdp.enumeration.frozen_values import group_by_memory
from engine.mdp.enumeration.walk import Explore, Successor, WalkedState, explore_here
from engine.printable import in_worker
from experiments.runs.ahead import ChunkCall, ChunkDone, LastMade, WorkAhead, name_work
from experiments.runs.engines import ENGINES, EngineOptions, ExecutionEngine
from experiments.runs.engines.automatic import SECONDS_HERE
from experiments.runs.unit import limit_blas_threads

Laws = Sequence[Sequence[Successor]]
"""The transitions of a state, by action."""
LOOK_EVERY = 16
"""States after which it is seen whether a worker is idle, where the walk needs not wait."""


class Explored(NamedTuple):
    """What a worker found, as columns: a number a transition, in the order of states, their actions and outcomes.

    keys, snapshots: of the states that follow. sizes: how many outcomes each action of each state has. target: numbers
    of keys. reward: as many a transition as the world gives.
    """

    keys: list[Hashable]
    snapshots: list[Any]
    sizes: list[int]
    probability: list[float]
    target: list[int]
    reward: list[float]
    ended: list[bool]

    def iterate_laws(self, actions: int, rewards: int) -> Iterator[Laws]:
        """Yield the transitions of one state after the other."""
        amounts = zip(*[iter(self.reward)] * rewards, strict=True)
        targets = map(self.keys.__getitem__, self.target)
        rows = map(Successor, self.probability, targets, amounts, self.ended)
        sizes = iter(self.sizes)
        for _ in range(len(self.sizes) // actions):
            yield [list(itertools.islice(rows, size)) for size in itertools.islice(sizes, actions)]


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
    found = Explored([], [], [], [], [], [], [])
    number_of: dict[Hashable, int] = {}
    with world.walking():
        for snapshot in snapshots:
            for law in explore_here(world, world.enter_snapshot(snapshot)):
                found.sizes.append(len(law))
                for probability, key, reward, ended in law:
                    found.probability.append(probability)
                    found.target.append(number_of.setdefault(key, len(number_of)))
                    found.reward.extend(reward)
                    found.ended.append(ended)
        world.finish()
    found.keys.extend(number_of)
    found.snapshots.extend(map(world.snapshot_of, number_of))
    return ChunkDone(found, time.process_time() - began)


_last: LastMade[WrappedWorld] = LastMade()
"""In a worker: the world of the last walk."""


class WalkAhead:
    """An `engine.mdp.enumeration.walk.Explore` for one walk.

    engine: where states are explored beside here, started. seconds: for which the walk stays here at first.
    """

    def __init__(self, world: SteppedWorld, recipe: Recipe, engine: ExecutionEngine, seconds: float) -> None:
        self._world = world
        self._recipe = recipe
        self._places: Sequence[WalkedState] = ()
        self._chunks: WorkAhead[int, Explored] = WorkAhead(engine, self._make_call)
        self._next = 0
        self._known: dict[int, Iterator[Laws]] = {}
        self._leaves_at = time.monotonic() + seconds
        self.close = self._chunks.close

    def explore(self, places: Sequence[WalkedState], number: int) -> Laws:
        """Return the transitions of a state of the walk, by action."""
        self._places = places
        self._next = max(self._next, number)
        while number not in self._known:
            self._hand_out()
            if not self._take_in(number):
                self._explore_one(number)
        if number % LOOK_EVERY == 0:
            self._hand_out()
        return next(self._known.pop(number))

    def _hand_out(self) -> None:
        if time.monotonic() >= self._leaves_at:
            self._next = self._chunks.hand_out(range(len(self._places)), self._next, is_asked=False)

    def _explore_one(self, number: int) -> None:
        """Explore a state here: the first that nobody has begun, or else the one that the walk waits for."""
        if self._next == number or self._next >= len(self._places) or not self._chunks.is_waiting:
            self._known[number] = iter([explore_here(self._world, self._places[number].key)])
            self._next = max(self._next, number + 1)
            return
        ahead, self._next = self._next, self._next + 1
        if not self._places[ahead].ended:
            with contextlib.suppress(CaregridError):  # the walk comes there, too
                self._known[ahead] = iter([explore_here(self._world, self._places[ahead].key)])

    def _list_open(self, numbers: Sequence[int]) -> list[int]:
        """Leave out states in which episodes have ended."""
        return [number for number in numbers if not self._places[number].ended]

    def _make_call(self, numbers: Sequence[int]) -> ChunkCall[Explored] | None:
        snapshots = [self._world.snapshot_of(self._places[number].key) for number in self._list_open(numbers)]
        return (explore_elsewhere, (self._recipe, snapshots)) if snapshots else None

    def _take_in(self, number: int) -> bool:
        """Note what the first chunk found of states from a number on; return whether it is done."""
        taken = self._chunks.take_in(waits=False)
        if taken is None:
            return False
        numbers, found = taken
        self._world.learn_snapshots(found.keys, found.snapshots)
        laws = found.iterate_laws(len(self._world.actions), self._world.rewards)
        for each in self._list_open(numbers):
            if each >= number:
                self._known[each] = laws
            else:  # found here meanwhile
                next(laws)
        return True


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


@contextlib.contextmanager
def explore_ahead(
    world: WrappedWorld, env: Any, settings: WorldSettings, engine: str | None, options: EngineOptions
) -> Iterator[Explore | None]:
    """How a walk through a world explores its states; None for here, one after the other.

    engine: its name; None for the processes of this machine, which start at once where their number is given, and else
    once the walk has taken a while.
    """
    limit_blas_threads()  # a step may multiply matrices, here and elsewhere alike
    if engine == "serial" or in_worker() or not can_travel(world):
        yield None
        return
    from loky import cpu_count

    name, seconds = engine or "local", 0.0
    if name == "local":
        others = (options.workers or cpu_count()) - 1  # this process explores, too
        if engine is None and not others:
            yield None
            return
        seconds = SECONDS_HERE if engine is None and options.workers is None else 0.0
        options = replace(options, workers=max(others, 1))
    assert isinstance(world, SteppedWorld)
    running = ENGINES[name](options)
    recipe = Recipe(name_work(), env, settings)
    running.start()
    ahead = WalkAhead(world, recipe, running, seconds)
    try:
        yield ahead.explore
    except BaseException:
        ahead.close(abandon=True)
        raise
    ahead.close()
