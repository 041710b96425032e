"""Names and first lines of a folder that anybody may have filled (`engine.files` opens only regular files)."""

from __future__ import annotations

import os
from pathlib import Path

from engine.files import opened, unreadable

BLOCK = 1 << 20


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
