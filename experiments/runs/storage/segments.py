"""A segment: the file into which one session, and nobody else, writes the units that it finishes.

    first line      what the units are, which code made them, and what a lost manifest is made of again
    then            a line a unit (`lines`); what follows the last line's end was cut off by a kill and means nothing

Lines are appended and flushed to the disk before a unit counts as stored; where that fails the file is cut back to
what it was. The writer holds a lock on its segment for as long as it lives, which is how others of the same machine
know; for those of other machines it moves the file's time every second. Anybody may have filled the folder: only
names and first lines of regular files are read (`engine.files` opens no others).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from engine.files import make_read_error, open_regular_file, suggest_another_place, sync_folder
from experiments.experiment import Rows, UnitSetting
from experiments.runs.storage.lines import Identity, frame_line, read_body, write_unit_line

BLOCK = 1 << 20


def read_first_line(path: Path, longest: int) -> bytes:
    """The first line of a file with its end, b"" where there is none of at most that many bytes."""
    with open_regular_file(path) as handle:
        content = b"" if handle is None else os.pread(handle, longest, 0)
    return content[: content.find(b"\n") + 1]


def list_names(folder: Path) -> list[str]:
    """The names in a folder in order, those that begin with a dot left out; none where there is no folder."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise make_read_error(folder, error) from error


SUFFIX = ".jsonl"
FORMAT = 1
LONGEST_HEADER = 1 << 20
SIGN_OF_LIFE_SECONDS = 1.0
_HEADER = b'"segment":'


class SegmentWriter:
    """A new segment in a folder; BadFile where it cannot be written. Close it: a segment without units then goes."""

    def __init__(self, folder: Path, identity: Identity, facts: Mapping[str, Any]) -> None:
        self._identity = identity
        self._size = 0
        self._units = 0
        header = {"format": FORMAT, **identity._asdict(), **facts}
        body = _HEADER + json.dumps(header, separators=(",", ":")).encode()
        try:
            self.path, self._handle = _create_segment(folder)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(self._handle, fcntl.LOCK_EX)
            self._write(frame_line(body))
            sync_folder(folder)
        except OSError as error:
            raise _make_write_error(folder, error) from error
        self._closed = threading.Event()
        threading.Thread(target=self._show_life, daemon=True).start()

    @property
    def name(self) -> str:
        """The name by which other sessions know this one."""
        return self.path.name

    def append(self, finished: Iterable[tuple[UnitSetting, Rows]]) -> None:
        """Store finished units, all of them or none; BadFile where they cannot be stored."""
        lines = [write_unit_line(self._identity, setting, rows) for setting, rows in finished]
        if not lines:
            return
        try:
            self._write(b"".join(lines))
        except OSError as error:
            raise _make_write_error(self.path, error) from error
        self._units += len(lines)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise
        self._size += len(content)

    def _show_life(self) -> None:
        while not self._closed.wait(SIGN_OF_LIFE_SECONDS):
            with contextlib.suppress(OSError):
                os.utime(self._handle)

    def close(self) -> None:
        """Let go of the segment; it is removed where nothing was stored in it."""
        if self._closed.is_set():
            return
        self._closed.set()
        with contextlib.suppress(OSError):
            if not self._units:
                self.path.unlink()
        os.close(self._handle)


def read_header(path: Path) -> dict[str, Any] | None:
    """What a segment's first line says; None where it is torn, altered or that of another format."""
    return parse_header(read_first_line(path, LONGEST_HEADER))


def parse_header(line: bytes) -> dict[str, Any] | None:
    """What a first line says; None where it is not a segment's."""
    body = read_body(line)
    if body is None or not body.startswith(_HEADER):
        return None
    try:
        header = json.loads(body[len(_HEADER) :])
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) and header.get("format") == FORMAT else None


def is_written(path: Path) -> bool:
    """Whether a process of this machine (or, where locks reach so far, of another) writes into a segment."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def parse_host(name: str) -> str:
    """The machine whose session wrote the segment of this name."""
    return name.partition("-")[2].removesuffix(SUFFIX).rpartition("-")[0]


def name_this_host() -> str:
    """This machine in the names of its segments."""
    return re.sub(r"[^\w.]+", "_", platform.node()) or "host"


def _create_segment(folder: Path) -> tuple[Path, int]:
    """A new file under the next free number, open for appending."""
    while True:
        numbers = [int(name[:6]) for name in list_names(folder) if name.endswith(SUFFIX) and name[:6].isdigit()]
        path = folder / f"{max(numbers, default=0) + 1:06d}-{name_this_host()}-{os.getpid()}{SUFFIX}"
        with contextlib.suppress(FileExistsError):
            return path, os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o666)


def _make_write_error(path: Path, error: OSError) -> BadFile:
    if isinstance(error, BadFile):
        return error
    reason = (error.strerror or str(error)).lower()
    return BadFile(f"cannot write: {reason}", place=str(path), remedy=suggest_another_place())
