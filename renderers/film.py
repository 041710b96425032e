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


class RenderedFilm(NamedTuple):
    """A film ready to be written: its scenes, their pictures, and for how many milliseconds each is shown.

    images(indices, bare): the pictures of some scenes, all of one size; bare ones leave out key and readings.
    """

    scenes: Sequence[Scene]
    images: Callable[[Sequence[int], bool], Iterator[Image]]
    milliseconds: int = MILLISECONDS


Encode = Callable[[RenderedFilm], bytes]
FORMATS: Registry[Encode] = Registry("renderers.formats", "film format")


def save(path: str | Path, film: Sequence[Scene], *, tile: int = 48, milliseconds: int = MILLISECONDS) -> None:
    """Write a film in the format that the path's ending names, atomically.

    tile: pixels a cell. milliseconds: for each scene. Raises UnknownName for another ending, BadValue for an empty
    film or a tile size out of range, BadFile where the disk refuses.
    """

    def images(numbers: Sequence[int], bare: bool) -> Iterator[Image]:
        return frames([film[i] for i in numbers], tile, key=not bare, readings=not bare)

    save_rendered(path, RenderedFilm(film, images, milliseconds))


def save_rendered(path: str | Path, rendered: RenderedFilm) -> None:
    """Write a rendered film, as `save` does."""
    encode = encoder(path)
    if not len(rendered.scenes):
        raise BadValue("a film without scenes", place=str(path), remedy="record at least one step")
    write_atomically(path, encode(rendered))


def encoder(path: str | Path) -> Encode:
    """The encoder for a path; UnknownName where no format has its ending. Call it before a long computation."""
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise UnknownName("film format", ending or Path(path).name, FORMATS.names(), place="--out")
    return FORMATS[ending]
