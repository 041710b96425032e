"""Reading files of a folder that anybody may have filled: regular files only, and never more than is wanted.

A pipe, device or socket is never opened for reading, nor waited for; a link counts as what it leads to.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from engine.errors import BadFile

BLOCK = 1 << 20


@contextlib.contextmanager
def opened(path: Path) -> Iterator[int | None]:
    """A descriptor for reading, None where there is no regular file; BadFile where it may not be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            yield None
            return
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        yield handle if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except OSError as error:
        raise error if isinstance(error, BadFile) else unreadable(path, error) from error
    finally:
        os.close(handle)


def unreadable(path: Path, error: OSError) -> BadFile:
    """The error for a file that cannot be read."""
    return BadFile(f"cannot read: {(error.strerror or str(error)).lower()}", place=str(path))


def first_line(path: Path, longest: int) -> bytes:
    """The first line of a file with its end, b"" where there is none of at most that many bytes."""
    with opened(path) as handle:
        content = b"" if handle is None else os.pread(handle, longest, 0)
    return content[: content.find(b"\n") + 1]


def names_in(folder: Path) -> list[str]:
    """The names in a folder in order, those that begin with a dot left out; none where there is no folder."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise unreadable(folder, error) from error
