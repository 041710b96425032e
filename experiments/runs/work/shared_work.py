"""The units of a grid that are missing, shared with whoever else runs them in the same directory now.

The grid is cut into blocks, of one unit each where it is small. A session claims a block, looks once more which of its
units are stored, computes the others and gives the block back. Blocks that others hold are asked for again until they
are finished or given up. On one machine no unit is computed twice by runs of one grid, nor of small grids that overlap.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque

from experiments.experiment import UnitSetting
from experiments.grid import SettingGrid
from experiments.runs.keys import unit_key
from experiments.runs.run_directory import RunDirectory
from experiments.runs.storage.lines import text_of_setting, texts_of
from experiments.runs.work.claims import Claims
from experiments.runs.worker import UnitTask

MOST_BLOCKS = 4096
SECONDS_BETWEEN_LOOKS = 0.3


class SharedWork:
    """Hands out tasks. force: stored units, too, and whatever others do. stored: units of the grid found stored so far.

    waits: whether units are left that others hold. Nothing is claimed before the directory has been prepared.
    """

    def __init__(self, grid: SettingGrid, store: RunDirectory, force: bool) -> None:
        self._grid, self._store, self._force = grid, store, force
        self._length = max(1, -(-grid.size // MOST_BLOCKS))
        self._missing = bytearray(force or text not in store.index for text in texts_of(grid.settings))
        self.stored = self._missing.count(0)
        starts = range(0, grid.size, self._length)
        self._fresh = deque(block for block, start in enumerate(starts) if any(self._part(start)))
        self._elsewhere: deque[int] = deque()
        self._looked = 0.0
        self._open: Counter[int] = Counter()
        self._names: dict[int, str] = {}  # of the blocks that are claimed
        self._claims: Claims | None = None

    @property
    def waits(self) -> bool:
        """Whether blocks are left that others work on."""
        return bool(self._elsewhere)

    def take(self, most: int) -> list[UnitTask]:
        """At most that many tasks that nobody has finished or works on; [] where there is none for now."""
        tasks: list[UnitTask] = []
        while len(tasks) < most and (blocks := self._claimed(most - len(tasks))):
            self._store.index.refresh()
            for block in blocks:
                tasks += self._tasks_of(block)
        return tasks

    def settled(self, task: UnitTask) -> None:
        """Note that a task is stored or has failed; a block whose last one it was is given back."""
        block = task.number // self._length
        self._open[block] -= 1
        if not self._open[block]:
            del self._open[block]
            self._release(block)

    def close(self) -> None:
        """Give every claim back."""
        if self._claims is not None:
            self._claims.release_all()

    def _claimed(self, most: int) -> list[int]:
        """Blocks that are ours now, of about that many missing units."""
        if not self._fresh and time.monotonic() - self._looked > SECONDS_BETWEEN_LOOKS:
            self._looked = time.monotonic()
            self._fresh, self._elsewhere = self._elsewhere, self._fresh
        blocks, units = [], 0
        while self._fresh and units < most:
            block = self._fresh.popleft()
            if self._claim(block):
                blocks.append(block)
                units += self._length
            else:
                self._elsewhere.append(block)
        return blocks

    def _tasks_of(self, block: int) -> list[UnitTask]:
        """What is to be done of a block of ours; nothing is left of one that somebody else has finished."""
        tasks = []
        for offset, missing in enumerate(self._part(block * self._length)):
            if not missing:
                continue
            number = block * self._length + offset
            setting = self._setting(number)
            if not self._force and text_of_setting(setting) in self._store.index:
                self._missing[number] = 0
                self.stored += 1
            else:
                tasks.append(
                    UnitTask(setting, unit_key(self._store.experiment.name, self._store.seed, setting), number)
                )
        self._open[block] = len(tasks)
        if not tasks:
            del self._open[block]
            self._release(block)
        return tasks

    def _part(self, start: int) -> bytearray:
        return self._missing[start : start + self._length]

    def _claim(self, block: int) -> bool:
        if self._force or self._store.segment is None:
            return True
        if self._claims is None:
            self._claims = Claims(self._store.claims, self._store.units, self._store.segment.name)
        name = self._name(block)
        if taken := self._claims.take(name):
            self._names[block] = name
        return taken

    def _release(self, block: int) -> None:
        if self._claims is not None:
            self._claims.release(self._names.pop(block))

    def _name(self, block: int) -> str:
        """What a block is called in every grid that has it."""
        digest = hashlib.blake2b(digest_size=16)
        start = block * self._length
        for number in range(start, min(start + self._length, self._grid.size)):
            digest.update(text_of_setting(self._setting(number)))
        return digest.hexdigest()

    def _setting(self, number: int) -> UnitSetting:
        return self._grid.setting(self._grid.point(number))
