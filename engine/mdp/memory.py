"""What a table takes in memory: refusal of one that would not fit, and arrays that grow without a second copy.

A table of more states than asked for is refused as well. `GrowingRows` is an array whose rows are found piece by
piece.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.user_code import describe_place

BYTES = 110  # a state, action and outcome, from enumeration to the end of planning; measured by benchmarks/scaling.py
UNSURE = 2.0
LIMIT_FILE = Path("/sys/fs/cgroup/memory.max")


def available_bytes() -> float:
    """Return the machine's memory, or the limit of the container; infinite where neither can be read."""
    try:
        total = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
    try:
        return min(total, float(LIMIT_FILE.read_text()))
    except (OSError, ValueError):
        return total


def require_at_most(most: int | None, states: int, world: Any) -> None:
    """BadValue where more states have been found than there may be. most: None for no bound."""
    if most is not None and states > most:
        remedy = "draw a smaller map, or ask for what takes less"
        raise BadValue(f"more than {most:,} states", place=describe_place(world), remedy=remedy)


def require_memory(states: int, actions: int, outcomes: int, world: Any) -> None:
    """BadValue where a table of at least so many states would not fit. world: whose table it is, for the message."""
    needed, there = float(states) * actions * outcomes * BYTES, available_bytes()
    if needed > there:
        raise _make_size_error(f"at least {states:,} states", needed, there, world)


def require_memory_for_about(states: int, actions: int, outcomes: int, world: Any) -> None:
    """BadValue where a table of about so many states would not fit by far: by a factor of UNSURE."""
    needed, there = float(states) * actions * outcomes * BYTES, available_bytes()
    if needed > UNSURE * there:
        raise _make_size_error(f"about {states:,} states", needed, there, world)


def _make_size_error(states: str, needed: float, there: float, world: Any) -> BadValue:
    return BadValue(
        f"{states} take {needed / 2**30:.1f} GiB of memory, and there are {there / 2**30:.1f}",
        place=describe_place(world),
        remedy="draw a smaller map",
    )


GROWTH = 1.2


class GrowingRows:
    """Rows [m, ...] of one kind of number, appended at the end. Pieces may differ in width; zeros fill what is missing.

    A large array grows in place: the operating system moves its pages and copies nothing.
    """

    def __init__(self) -> None:
        self._room: NDArray[Any] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows [m, ...]."""
        if self._room is None:
            self._room = np.zeros(rows.shape, rows.dtype)
        end, shape = self._count + len(rows), np.maximum(self._room.shape, rows.shape)[1:].tolist()
        if shape != list(self._room.shape[1:]):
            wider = np.zeros((len(self._room), *shape), rows.dtype)
            wider[tuple(map(slice, self._room.shape))] = self._room
            self._room = wider
        if end > len(self._room):
            self._room.resize((max(end, int(GROWTH * len(self._room))), *shape), refcheck=False)
        self._room[(slice(self._count, end), *map(slice, rows.shape[1:]))] = rows
        self._count = end

    def array(self) -> NDArray[Any]:
        """All rows as one array, which this object gives up."""
        assert self._room is not None
        whole, self._room = self._room, None
        whole.resize((self._count, *whole.shape[1:]), refcheck=False)
        return whole
