"""Films into files: the ending of the file's name chooses the format from `renderers.formats`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import BadValue, UnknownName
from engine.files import write_atomically
from engine.registry import Registry
from engine.scene import Scene
from renderers.drawing.picture import frames
from renderers.drawing.shapes import Image

MILLISECONDS = 250


class Reel(NamedTuple):
    """A film ready to be written: its scenes, how they look, and how long each is shown.

    images(numbers, bare): the pictures of some scenes, all of one size; bare ones leave out key and readings.
    """

    scenes: Sequence[Scene]
    images: Callable[[Sequence[int], bool], Iterator[Image]]
    milliseconds: int = MILLISECONDS


Encode = Callable[[Reel], bytes]
FORMATS: Registry[Encode] = Registry("renderers.formats", "film format")


def save(path: str | Path, film: Sequence[Scene], *, tile: int = 48, milliseconds: int = MILLISECONDS) -> None:
    """Write a film in the format that the path's ending names, whole or not at all.

    Raises UnknownName for another ending, BadValue for an empty film or a senseless size, BadFile from the disk.
    """

    def images(numbers: Sequence[int], bare: bool) -> Iterator[Image]:
        return frames([film[i] for i in numbers], tile, key=not bare, readings=not bare)

    save_reel(path, Reel(film, images, milliseconds))


def save_reel(path: str | Path, reel: Reel) -> None:
    """Write a reel, as `save` does."""
    encode = encoder(path)
    if not len(reel.scenes):
        raise BadValue("a film without scenes", place=str(path), remedy="record at least one step")
    write_atomically(path, encode(reel))


def encoder(path: str | Path) -> Encode:
    """The encoder for a path; UnknownName where no format has its ending: ask before a long computation."""
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise UnknownName("film format", ending or Path(path).name, FORMATS.names(), place="--out")
    return FORMATS[ending]
