"""Chunks of units that take a sensible time: long enough to hide the overhead, short enough to lose little.

    length = target seconds / recent seconds a unit;  at most GROWTH times the last, at most an even share of the rest

A chunk whose worker died comes back unit by unit; a unit's last attempt runs while nothing else does, so that no
unit is ever given up for the death of another. A worker that was ended from outside is held against no unit, as long as
that does not happen to the same unit again and again.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from experiments.runs.worker import UnitTask

GROWTH = 8
ATTEMPTS = 3
ENDINGS = 10


class Chunk(NamedTuple):
    """Tasks to run together.

    attempts: how often they have been given to a worker, this time included, but for the workers that were ended from
    outside meanwhile: `endings`.
    """

    tasks: tuple[UnitTask, ...]
    attempts: int = 1
    endings: int = 0

    @property
    def last(self) -> bool:
        """Whether another death would be held against it."""
        return self.attempts == ATTEMPTS


class Chunks:
    """Cuts tasks into chunks, learning from how long units take.

    take: gives at most so many tasks. total: how many there are, roughly. target: seconds a chunk should take; 0 means
    units one by one.
    """

    def __init__(self, take: Callable[[int], Sequence[UnitTask]], total: int, target: float) -> None:
        self._take, self._left, self._target = take, total, target
        self._length, self._seconds = 1, math.inf
        self._again: deque[Chunk] = deque()
        self._ready: deque[UnitTask] = deque()

    def next(self, capacity: int, idle: bool) -> Chunk | None:
        """The next chunk, None where there is none (for now); units to be tried again come last.

        capacity: chunks that run at once. idle: whether nothing runs now.
        """
        share = max(1, math.ceil(self._left / (2 * capacity)))
        tasks = self._queue(min(self._length, share))
        self._left -= len(tasks)
        if tasks:
            return Chunk(tasks)
        if not self._again or (self._again[0].last and not idle):
            return None
        return self._again.popleft()

    def _queue(self, length: int) -> tuple[UnitTask, ...]:
        """The next tasks; a block of them may come at once, and is kept until it is asked for."""
        if len(self._ready) < length:
            self._ready.extend(self._take(length - len(self._ready)))
        return tuple(self._ready.popleft() for _ in range(min(length, len(self._ready))))

    def learn(self, units: int, seconds: float) -> None:
        """Note how long a chunk took."""
        if not self._target:
            return
        each = max(seconds / units, 1e-6)
        self._seconds = each if math.isinf(self._seconds) else (self._seconds + each) / 2
        self._length = max(1, min(GROWTH * self._length, int(self._target / self._seconds)))

    def again(self, chunk: Chunk) -> None:
        """Try the units of a lost chunk once more, each alone."""
        self._again.extend(Chunk((task,), chunk.attempts + 1, chunk.endings) for task in chunk.tasks)

    def after_ending(self, chunk: Chunk) -> None:
        """Try the units of a chunk whose worker was ended from outside once more, each alone."""
        self._again.extend(Chunk((task,), chunk.attempts, chunk.endings + 1) for task in chunk.tasks)
