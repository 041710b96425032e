"""How fast worlds are enumerated: transitions per second, beside the bare steps of the same world.

    python benchmarks/enumeration.py

Every transition is sampled twice, so the bare steps are counted twice, too; processor time, both in the same run.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
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


def report(ratios: Ratios, name: str, count: int, enumerated: float, stepped: float) -> None:
    """One line: transitions, how many a second, and how many times the bare steps' time."""
    ratios.add(f"{name}, bare steps / enumeration", stepped / enumerated)
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


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
