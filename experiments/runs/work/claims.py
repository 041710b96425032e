"""Which session works on which part of a grid: a file a block of units, created by whoever takes it.

    claims/BLOCK      the name of the segment of the session that works on the block; gone when the block is finished

A block is named after its units, not after its place in a grid: runs whose grids overlap find each other's claims.
Creating a file is atomic on every file system, so a block has one taker. A claim counts for as long as its session
lives: one of this machine holds a lock on its segment, which the kernel lets go of when it dies; one of another machine
moves its segment's time every second, and is given up after some seconds without. No clock is compared with another.
A claim only saves work: units are stored whether claimed or not, and two sessions that compute the same unit store
the same rows.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from engine.errors import BadFile
from engine.files import opened
from experiments.runs.storage.segments import host_of, is_written, this_host

SECONDS_WITHOUT_SIGN_OF_LIFE = 30.0
LONGEST_NAME = 1000


class Claims:
    """The claims of one session. folder: of all claims. units: the folder of segments. name: of the session's own."""

    def __init__(self, folder: Path, units: Path, name: str) -> None:
        self._folder, self._units, self._name = folder, units, name
        self._held: set[str] = set()
        self._seen: dict[str, tuple[int, float]] = {}

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
                raise _unwritable(path, error) from error
            try:
                os.write(handle, self._name.encode())
            except OSError as error:
                with contextlib.suppress(OSError):
                    path.unlink()
                raise _unwritable(path, error) from error
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
            raise _unwritable(self._folder, error) from error

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
            content = _content(path)
            holder = content.decode("utf-8", "replace")
            if self._lives(holder, path):
                return False
            aside = path.with_name(f".{path.name}.{self._name}")
            os.rename(path, aside)  # of several that find it dead, one succeeds
            if _content(aside) == content:
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

    def _lives(self, holder: str, claim: Path) -> bool:
        """Whether the session of a segment lives. A claim being written names nobody yet and lives for a while."""
        if holder == self._name:
            return False  # of a process that had our name before us
        segment = self._units / Path(holder).name
        if holder and host_of(holder) == this_host() and is_written(segment):
            return True
        if holder and host_of(holder) == this_host():
            return False
        watched = segment if holder else claim
        try:
            moment = watched.stat().st_mtime_ns
        except OSError:
            return False
        since = self._seen.setdefault(str(watched), (moment, time.monotonic()))
        if since[0] != moment:
            since = self._seen[str(watched)] = (moment, time.monotonic())
        return time.monotonic() - since[1] < SECONDS_WITHOUT_SIGN_OF_LIFE


def _unwritable(path: Path, error: OSError) -> BadFile:
    return BadFile(f"cannot write: {(error.strerror or str(error)).lower()}", place=str(path))


def _content(path: Path) -> bytes:
    """What a claim holds; FileNotFoundError where there is none. A pipe is opened by no reader, so nothing hangs."""
    with opened(path) as handle:
        if handle is None:
            raise FileNotFoundError(path) if not os.path.lexists(path) else BadFile("is not a claim", place=str(path))
        return os.read(handle, LONGEST_NAME)
