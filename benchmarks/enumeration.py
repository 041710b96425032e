"""How fast worlds are enumerated: transitions per second, beside the bare steps of the same world.

    python benchmarks/enumeration.py

Every transition is sampled twice, so the bare steps are counted twice, too; processor time, both in the same run. The
last line is of a world whose states are its attributes, explored by this process alone and by this and another one.
Neither waits for the other, so half of the processor seconds of both, with all that only one of them does, is what
two free cores take. The clock's seconds stand beside them.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
import warnings
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid
from benchmarks.peak_memory import read_processor_seconds, run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from caregrid.wrapping.make_world import make_world
from caregrid.wrapping.settings import WorldSettings
from engine.mdp.enumeration.simulated import Simulated
from engine.mdp.enumeration.walk import walk


class Plane:
    """A square of cells; a snapshot is a pair of numbers."""

    name = "plane"
    actions = ("up", "down", "left", "right")
    rewards = 1
    exact_keys = True

    def __init__(self, side: int = 150) -> None:
        self._last = side - 1
        self._at = (0, 0)

    def snapshot(self) -> Any:
        return self._at

    def restore(self, snapshot: Any) -> None:
        self._at = snapshot

    def key(self) -> Hashable:
        return self._at

    def use(self, generator: np.random.Generator) -> None:
        """It draws nothing."""

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        row, column = self._at
        row = min(max(row + (-1, 1, 0, 0)[action], 0), self._last)
        column = min(max(column + (0, 0, -1, 1)[action], 0), self._last)
        self._at = row, column
        return (-1.0,), row == column == self._last

    def describe(self, key: Hashable) -> str:
        return str(key)

    def advice(self, keys: Sequence[Hashable]) -> str:
        return ""

    def continuous(self, keys: Any) -> str:
        return ""

    def growing(self, path: Any) -> tuple[str, str]:
        return "", ""


def time_call(run: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of a call, and what it gave."""
    began = time.process_time()
    result = run()
    return time.process_time() - began, result


def measure_plane(ratios: Ratios) -> None:
    """A world whose snapshot costs nothing."""
    bare = Plane()
    world = Simulated(Plane())
    enumerated, found = time_call(lambda: walk(world, {world.remember(): 1.0}))
    count = len(found.places) * len(found.actions)

    def take_steps() -> None:
        for n in range(2 * count):
            bare.restore((0, 0))
            bare.step(n & 3)

    stepped, _ = time_call(take_steps)
    report(ratios, "plane", count, enumerated, stepped)


def measure_environment(ratios: Ratios, name: str) -> None:
    """A registered environment, by its family's snapshots."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world: Any = make_world(name, WorldSettings())
    enumerated, found = time_call(lambda: walk(world, world.starts()))
    count = len(found.places) * len(found.actions)
    start = world.snapshot()

    def take_steps() -> None:
        for n in range(2 * count):
            world.restore(start)
            world.step(n % len(found.actions))

    stepped, _ = time_call(take_steps)
    report(ratios, name, count, enumerated, stepped)


class Pieces(gymnasium.Env[int, np.int64]):
    """Two pieces on a square of so many cells a side; every attribute is a part of the state."""

    def __init__(self, side: int = 14) -> None:
        self.action_space = gymnasium.spaces.Discrete(8)
        self.observation_space = gymnasium.spaces.Discrete(1)
        self._last = side - 1

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Put both into the corner."""
        super().reset(seed=seed)
        self.board = np.zeros(4, dtype=np.int64)
        return 0, {}

    def step(self, action: np.int64) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Move one piece by a cell."""
        self.board = self.board.copy()
        place, way = divmod(int(action), 2)
        self.board[place] = min(max(self.board[place] + 2 * way - 1, 0), self._last)
        return 0, -1.0, bool((self.board == self._last).all()), False, {}


def measure_processes(ratios: Ratios) -> None:
    """The processor seconds of one process over half of those of two."""
    seconds, clock, tables = [], [], []
    copied = 0
    deepcopy = copy.deepcopy

    def count_copies(value: Any, memo: Any = None) -> Any:
        nonlocal copied
        copied += memo is None
        return deepcopy(value, memo)

    for workers in (1, 2):
        begun, here, elsewhere = time.perf_counter(), *read_processor_seconds()
        copy.deepcopy = count_copies if workers == 1 else deepcopy
        made = caregrid.wrap(Pieces, others=[], time_limit=100, workers=workers)
        copy.deepcopy = deepcopy
        clock.append(time.perf_counter() - begun)
        here_after, elsewhere_after = read_processor_seconds()
        seconds.append((here_after - here + elsewhere_after - elsewhere) / workers)
        tables.append(made.table.next_state.tobytes())
    assert tables[0] == tables[1]
    alone, together = seconds
    ratios.add("two pieces, one process / each of two", alone / together, least=1.2)
    transitions = made.table.next_state.size
    print(
        f"two pieces: {alone:.1f} s, by two processes {together:.1f} s each, {alone / together:.2f} times as fast"
        f" (by the clock {clock[0]:.1f} and {clock[1]:.1f} s); deep copies: {copied} in {transitions:,} transitions"
    )


def report(ratios: Ratios, name: str, count: int, enumerated: float, stepped: float) -> None:
    """One line: transitions, how many a second, and how many times the bare steps' time."""
    ratios.add(f"{name}, bare steps / enumeration", stepped / enumerated, least=0.1)
    rate = f"{count / enumerated:10,.0f} a second, {enumerated / stepped:5.2f} x bare steps"
    print(f"{name:26} {count:9,} transitions {rate}")


def main() -> None:
    """Print a line per world."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_ratios_option(parser)
    ratios = Ratios("enumeration", parser.parse_args().ratios)
    measure_plane(ratios)
    for id_ in ("MiniGrid-DoorKey-6x6-v0", "MiniGrid-DoorKey-8x8-v0", "deep-sea-treasure-v0"):
        measure_environment(ratios, id_)
    measure_processes(ratios)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
