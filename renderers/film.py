"""Films into files: the ending of the file's name chooses the format from `renderers.formats`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.errors import BadValue, UnknownName, argument
from engine.files import write_atomically
from engine.registry import Registry
from engine.scene import Scene
from renderers.film_format import MILLISECONDS, FilmFormat, RenderedFilm, accept_film_format, render

FORMATS: Registry[FilmFormat] = Registry(
    "renderers.formats", "film format", accept=accept_film_format, group="caregrid.film_formats"
)


def save_film(
    path: str | Path,
    film: Sequence[Scene],
    *,
    tile: int = 48,
    milliseconds: int = MILLISECONDS,
    file_format: str | None = None,
) -> None:
    """Write a film, atomically, in the format that the path's ending names.

    tile: pixels a cell. milliseconds: for each scene. file_format: another format, by its name or `module:attribute`.
    Raises UnknownName for an unknown format, MissingExtra for one that needs a package, BadValue for an empty film or
    a tile size out of range, BadFile where the disk refuses.
    """
    save_rendered(path, render(film, tile, milliseconds), file_format)


def save_rendered(path: str | Path, film: RenderedFilm, file_format: str | None = None) -> None:
    """Write a rendered film, as `save_film` does."""
    chosen = format_for(path, file_format)
    if not len(film.scenes):
        raise BadValue("a film without scenes", place=str(path), remedy="record at least one step")
    write_atomically(path, chosen.encode(film))


def format_for(path: str | Path, file_format: str | None = None) -> FilmFormat:
    """The format for a path, ready to use: call it before a long computation.

    Raises UnknownName where no format has the path's ending, MissingExtra where the format needs a package.
    """
    name = file_format or Path(path).suffix.removeprefix(".").lower()
    if not file_format and name not in FORMATS:
        raise UnknownName(
            "film format", name or Path(path).name, FORMATS.names(), place=argument("path", option="--out")
        )
    chosen = FORMATS[name]
    chosen.require_modules(name.upper())
    return chosen
