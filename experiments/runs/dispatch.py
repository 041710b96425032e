"""Which units are still to be computed, by which session, in chunks of what length.

Chunks take a sensible time: long enough to hide the overhead, short enough to lose little.

    length = target seconds / recent seconds per unit;  at most GROWTH times the last, at most an even share of the rest

A chunk whose worker died comes back unit by unit; a unit's last attempt runs while nothing else does, so that no
unit is ever given up for the death of another. A worker that was ended from outside is held against no unit, as
long as that does not happen to the same unit again and again.

Missing units are shared with whoever else runs them in the same directory now. The grid is cut into blocks, of one
unit each where it is small. A session claims a block, looks once more which of its units are stored, computes the
others and gives the block back. Blocks that others hold are asked for again until they are finished or given up. On
one machine no unit is computed twice by runs of one grid, nor of small grids that overlap.

    claims/BLOCK      the name of the segment of the session that works on the block; gone when the block is finished

A block is named after its units, not after its place in a grid: runs whose grids overlap find each other's claims.
Creating a file is atomic on every file system, so a block has one taker. A claim counts for as long as its session
lives (`segments`); what dead sessions have left is tidied away. A claim only saves work: units are stored whether
claimed or not, and two sessions that compute the same unit store the same rows.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import BadFile
from engine.files import make_write_error, open_regular_file
from experiments.experiment import UnitSetting
from experiments.runs.run_directory import RunDirectory
from experiments.runs.segments import SignsOfLife, generate_setting_texts, list_names, write_setting_text
from experiments.runs.shards import Shard
from experiments.runs.unit import UnitTask, make_unit_key
from experiments.setting_grid import SettingGrid

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

    take: gives at most so many tasks. total: how many there are, roughly. target: seconds that a chunk should
    take; 0 means units one by one.
    """

    def __init__(self, take: Callable[[int], Sequence[UnitTask]], total: int, target: float) -> None:
        self._take = take
        self._left = total
        self._target = target
        self._length = 1
        self._seconds = math.inf
        self._again: deque[Chunk] = deque()
        self._ready: deque[UnitTask] = deque()

    def next(self, capacity: int, idle: bool) -> Chunk | None:
        """Return the next chunk, None where there is none (for now); units to be tried again come last.

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
        """Return the next tasks; a block of them may come at once, and is kept until it is asked for."""
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

    def retry(self, chunk: Chunk) -> None:
        """Try the units of a lost chunk once more, each alone."""
        self._again.extend(Chunk((task,), chunk.attempts + 1, chunk.endings) for task in chunk.tasks)

    def retry_after_ending(self, chunk: Chunk) -> None:
        """Try the units of a chunk whose worker was ended from outside once more, each alone."""
        self._again.extend(Chunk((task,), chunk.attempts, chunk.endings + 1) for task in chunk.tasks)


LONGEST_NAME = 1000


class Claims:
    """The claims of one session. folder: of all claims. units: the folder of segments. name: of the session's own."""

    def __init__(self, folder: Path, units: Path, name: str) -> None:
        self._folder = folder
        self._life = SignsOfLife(units)
        self._name = name
        self._held: set[str] = set()

    def take(self, block: str) -> bool:
        """Whether the block is ours now; one whose session died is taken over. BadFile where nothing can be written."""
        path = self._folder / block
        for _ in range(3):
            try:
                handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            except FileNotFoundError:  # a session that had no claims left has tidied the folder away
                self._make_folder()
                continue
            except FileExistsError:
                if not self._remove_dead(path):
                    return False
                continue
            except OSError as error:
                raise make_write_error(path, error) from error
            try:
                os.write(handle, self._name.encode())
            except OSError as error:
                with contextlib.suppress(OSError):
                    path.unlink()
                raise make_write_error(path, error) from error
            finally:
                os.close(handle)
            self._held.add(block)
            return True
        return False

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir()
        except FileExistsError:
            pass
        except OSError as error:
            raise make_write_error(self._folder, error) from error

    def release(self, block: str) -> None:
        """Give a block back, finished or not."""
        if block in self._held:
            self._held.discard(block)
            with contextlib.suppress(OSError):
                (self._folder / block).unlink()

    def release_all(self) -> None:
        """Give everything back, and tidy the folder away where it is empty."""
        for block in list(self._held):
            self.release(block)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _remove_dead(self, path: Path) -> bool:
        """Remove a claim whose session is dead; whether it is gone."""
        try:
            content = _read_claim(path)
            if self._is_alive(content, path):
                return False
            aside = path.with_name(f".{path.name}.{self._name}")
            os.rename(path, aside)  # of several that find it dead, one succeeds
            if _read_claim(aside) == content:
                aside.unlink()
                return True
            with contextlib.suppress(OSError):  # somebody was faster, and this is the new holder's: put it back
                os.link(aside, path)
            aside.unlink()
        except FileNotFoundError:
            return True
        except (OSError, BadFile):
            return False
        return False

    def _is_alive(self, content: bytes, claim: Path) -> bool:
        """Whether the session of a claim is alive. A claim being written names nobody yet and counts for a while."""
        holder = content.decode("utf-8", "replace")
        if holder == self._name:
            return False  # of a process that had our name before us
        return self._life.look(holder, claim) is not False


def find_claiming(folder: Path) -> dict[str, set[str]]:
    """Return the names of the segments whose sessions claim blocks, with these; what is no claim is left out."""
    found: dict[str, set[str]] = {}
    for block in list_names(folder):
        with contextlib.suppress(OSError):
            found.setdefault(Path(_read_claim(folder / block).decode("utf-8", "replace")).name, set()).add(block)
    return found


def tidy_claims(folder: Path, dead: Callable[[str], bool], finished: Container[str] = ()) -> None:
    """Remove what dead sessions have left, and claims of finished blocks; and the folder where it is empty.

    dead: of the name of a segment.
    """
    for name, blocks in find_claiming(folder).items():
        for block in blocks:
            if dead(name) or block in finished:
                with contextlib.suppress(OSError):
                    (folder / block).unlink()
    with contextlib.suppress(OSError):
        for aside in folder.glob(".*"):
            if dead(aside.name.removeprefix(".").partition(".")[2]):
                aside.unlink()
        folder.rmdir()


def _read_claim(path: Path) -> bytes:
    """What a claim holds; FileNotFoundError where there is none. A pipe is opened by no reader, so nothing hangs."""
    with open_regular_file(path) as handle:
        if handle is None:
            raise FileNotFoundError(path) if not os.path.lexists(path) else BadFile("is not a claim", place=str(path))
        return os.read(handle, LONGEST_NAME)


MOST_BLOCKS = 4096
SECONDS_BETWEEN_LOOKS = 0.3
SECONDS_BETWEEN_READINGS = 30.0


class ShardOfGrid:
    """The units of a shard of a grid, in the grid's order."""

    def __init__(self, grid: SettingGrid, shard: Shard) -> None:
        self._grid = grid
        self._places = shard.deal(grid.size)
        self.whole = shard.shards == 1

    @property
    def size(self) -> int:
        """The number of units."""
        return len(self._places)

    def setting(self, number: int) -> UnitSetting:
        """Return the setting of one of the units."""
        return self._grid.setting(self._grid.point(self._places[number]))

    def setting_texts(self) -> Iterator[bytes]:
        """Return the texts of the settings of all units."""
        every = generate_setting_texts(self._grid.settings)
        if self.whole:
            return every
        chosen = bytearray(self._grid.size)
        for place in self._places:
            chosen[place] = 1
        return itertools.compress(every, chosen)


class SharedWork:
    """Hands out tasks. force: stored units, too, and whatever others do. stored: units found stored so far.

    waits: whether units are left that others hold. Nothing is claimed before the directory has been prepared. Of a
    shard, nobody else is expected to store units. So a session of a shard reads what others have stored only now and
    then: of a thousand shards, each would otherwise look at a thousand files before each chunk.
    """

    def __init__(self, units: ShardOfGrid, store: RunDirectory, force: bool) -> None:
        self._units = units
        self._store = store
        self._force = force
        self._length = max(1, -(-units.size // MOST_BLOCKS))
        self._missing = bytearray(force or text not in store.index for text in units.setting_texts())
        self.stored = self._missing.count(0)
        self._read = time.monotonic()
        starts = range(0, units.size, self._length)
        self._fresh = deque(block for block, start in enumerate(starts) if any(self._slice_missing(start)))
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
        while len(tasks) < most and (blocks := self._claim_blocks(most - len(tasks))):
            self._read_on()
            for block in blocks:
                tasks += self._list_tasks(block)
        return tasks

    def _read_on(self) -> None:
        """Read what others have stored."""
        if self._units.whole or time.monotonic() - self._read > SECONDS_BETWEEN_READINGS:
            self._store.index.refresh()
            self._read = time.monotonic()

    def settle(self, task: UnitTask) -> None:
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

    def tidy(self) -> None:
        """Remove claims that no session will give back: of dead ones, and of blocks all of whose units are stored."""
        if not list_names(self._store.claims):
            return
        life, index = SignsOfLife(self._store.units), self._store.index
        texts = enumerate(self._units.setting_texts())
        unfinished = {number // self._length for number, text in texts if text not in index}
        blocks = range(-(-self._units.size // self._length))
        finished = {self._name(block) for block in blocks if block not in unfinished}
        tidy_claims(self._store.claims, lambda name: life.look(name) is False, finished)

    def _claim_blocks(self, most: int) -> list[int]:
        """Blocks that are ours now, of about that many missing units."""
        if not self._fresh and time.monotonic() - self._looked > SECONDS_BETWEEN_LOOKS:
            self._looked = time.monotonic()
            self._fresh, self._elsewhere = self._elsewhere, self._fresh
        blocks = []
        units = 0
        while self._fresh and units < most:
            block = self._fresh.popleft()
            if self._claim(block):
                blocks.append(block)
                units += self._length
            else:
                self._elsewhere.append(block)
        return blocks

    def _list_tasks(self, block: int) -> list[UnitTask]:
        """List the tasks of a block of ours that nobody has finished; a block without any is given back."""
        tasks = []
        for offset, missing in enumerate(self._slice_missing(block * self._length)):
            if not missing:
                continue
            number = block * self._length + offset
            setting = self._units.setting(number)
            if not self._force and write_setting_text(setting) in self._store.index:
                self._missing[number] = 0
                self.stored += 1
            else:
                tasks.append(
                    UnitTask(setting, make_unit_key(self._store.experiment.name, self._store.seed, setting), number)
                )
        self._open[block] = len(tasks)
        if not tasks:
            del self._open[block]
            self._release(block)
        return tasks

    def _slice_missing(self, start: int) -> bytearray:
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
        """Return what a block is called in every grid that has it."""
        digest = hashlib.blake2b(digest_size=16)
        start = block * self._length
        for number in range(start, min(start + self._length, self._units.size)):
            digest.update(write_setting_text(self._units.setting(number)))
        return digest.hexdigest()
