"""Writing files completely or not at all: a temporary neighbour, flushed to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from engine.errors import BadFile, CaregridError

_MASK = threading.Lock()


def write_atomically(path: str | Path, content: bytes | str | Callable[[IO[bytes]], object]) -> None:
    """Write a file so that nothing half-written is ever seen, whatever fails.

    content: bytes, text (written as UTF-8), or a function that writes into a binary stream. Raises BadFile where the
    folder is missing, read-only or full; an older file of that name is then untouched.
    """
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            if callable(content):
                content(stream)
            else:
                stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):  # what took the place away may keep us from tidying up, too
            Path(temporary).unlink()
        if isinstance(error, OSError) and not isinstance(error, CaregridError):
            raise _unwritable(target, error) from error
        raise


def output_directory(path: str | Path) -> Path:
    """Make a directory for results and prove that it can be written to; BadFile otherwise."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


def _unwritable(path: Path, error: OSError) -> BadFile:
    reason = (error.strerror or str(error)).lower()
    return BadFile(f"cannot write: {reason}", place=str(path), remedy="choose another place with --out")


def _umask() -> int:
    """The mask for new files, which can only be read by setting it: one thread at a time."""
    with _MASK:
        mask = os.umask(0)
        os.umask(mask)
    return mask
