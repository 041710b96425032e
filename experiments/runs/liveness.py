"""Whether a session that writes a segment is alive: by its lock where locks reach, else by its signs of life.

    name of a segment   NUMBER-MACHINE-PID.jsonl; a machine is its host's name and a digest of its kernel's start

A session holds a lock on its segment for as long as it lives. The kernel lets go of it, so on one machine its absence
says that the session is dead. Elsewhere, and on a file system without locks, the segment's time says it, which a living
session moves every second: one that has not moved it for SECONDS_WITHOUT_SIGN counts as dead. It may only be paused, so
nothing of its work is ever removed without a trace: it notices that its file is gone (`segments`). No clock is compared
with another.

Two machines of one name differ by their kernels. After a restart a machine is another one.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import platform
import re
import time
from pathlib import Path

from engine.errors import BadFile
from engine.files import open_regular_file

SECONDS_BETWEEN_SIGNS = 1.0
SECONDS_WITHOUT_SIGN = 30.0
START_OF_KERNEL = Path("/proc/sys/kernel/random/boot_id")


@functools.cache
def name_this_machine() -> str:
    """This machine in the names of its segments."""
    host = re.sub(r"[^\w.]+", "_", platform.node()) or "host"
    try:
        start = START_OF_KERNEL.read_bytes()
    except OSError:  # only Linux says it
        return host
    return f"{host}.{hashlib.blake2b(start, digest_size=4).hexdigest()}"


def parse_machine(name: str) -> str:
    """The machine whose session wrote the segment of this name."""
    return name.partition("-")[2].rpartition("-")[0]


def hold(handle: int) -> None:
    """Lock a segment of ours for as long as this process lives, where its file system has locks."""
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)


class SignsOfLife:
    """What is seen of the lives of sessions, by the names of their segments. units: the folder of segments."""

    def __init__(self, units: Path) -> None:
        self._units = units
        self._seen: dict[Path, tuple[int, float]] = {}

    def look(self, name: str, otherwise: Path | None = None) -> bool | None:
        """Whether the session is alive; None where it has given no sign yet, and may still give one.

        otherwise: the file whose time is watched where no session is named.
        """
        path = otherwise if otherwise is not None and not name else self._units / Path(name).name
        held = _is_held(path) if parse_machine(path.name) == name_this_machine() else None
        if held is not None:
            return held
        try:
            return self._watch(path, _read_time(path))
        except (OSError, ValueError):  # there is none
            return False

    def _watch(self, path: Path, moment: int) -> bool | None:
        """Whether a file's time moves; False where it has not for long."""
        now = time.monotonic()
        before, since = self._seen.setdefault(path, (moment, now))
        if moment != before:
            self._seen[path] = (moment, now)
            return True
        return None if now - since < SECONDS_WITHOUT_SIGN else False


def _is_held(path: Path) -> bool | None:
    """Whether somebody holds a lock on a file; None where there are no locks, or it may not be read."""
    try:
        with open_regular_file(path) as handle:
            if handle is None:
                return False
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    except OSError:
        return None
    return False


def _read_time(path: Path) -> int:
    """When a file was last changed; what other machines know of it may be old until it is opened."""
    with contextlib.suppress(BadFile), open_regular_file(path) as handle:
        if handle is not None:
            return os.fstat(handle).st_mtime_ns
    return path.stat().st_mtime_ns
