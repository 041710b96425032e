"""Films into files and back: the ending of the file's name chooses the format from `renderers.formats`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import BadValue
from engine.files import write_atomically
from engine.registry import Registry
from engine.scene import Scene

Encode = Callable[[Sequence[Scene], int, int], bytes]
FORMATS: Registry[Encode] = Registry("renderers.formats", "film format")
MILLISECONDS = 250


def save(path: str | Path, film: Sequence[Scene], *, tile: int = 48, milliseconds: int = MILLISECONDS) -> None:
    """Write a film as the format that the path's ending names, whole or not at all.

    Raises UnknownName for another ending, BadValue for an empty film or a senseless size, BadFile from the disk.
    """
    encode = encoder(path)
    write_atomically(path, encode(film, tile, milliseconds))


def encoder(path: str | Path) -> Encode:
    """The encoder for a path; UnknownName where no format has its ending: call it before a long computation."""
    ending = Path(path).suffix.removeprefix(".").lower()
    if not ending:
        raise BadValue("no file ending", place=str(path), remedy="end it in ." + ", .".join(FORMATS.names()))
    return FORMATS[ending]


def require_scenes(film: Sequence[Scene]) -> Sequence[Scene]:
    """The film itself; BadValue where it holds no scene."""
    if not len(film):
        raise BadValue("a film without scenes", place="film", remedy="record at least one step")
    return film
