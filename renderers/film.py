"""Films into files: a film is rendered, and the ending of the file's name chooses the format from `renderers.formats`.

A film format turns a rendered film into the bytes of a file. A film as one scene is a storyboard: its scenes side
by side in reading order, and what all of them say said once. One scene has one legend, so that a picture explains
each mark and each path once, however many scenes it shows.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from engine.contracts import Contract, Field, Method, is_name_tuple, refuse
from engine.errors import BadValue, MissingExtra, UnknownName, argument
from engine.files import write_atomically
from engine.registry import Registry
from engine.scene import Mark, Scene, Signs
from engine.user_code import describe_place, user_code
from renderers.drawing.picture import draw_frames, draw_picture
from renderers.drawing.shapes import Image

MOST_PICTURES = 24


def make_storyboard(film: Sequence[Scene], caption: str = "", columns: int = 0) -> Scene:
    """Evenly spread scenes of a film as panels; a film of one scene is that scene.

    caption: of the whole, by default the caption that all scenes share. columns: panels in a row, by default about as
    many as there are rows. Captions and readings that differ from scene to scene stay with the panels and are left out.
    """
    scenes = [film[number] for number in spread_scenes(len(film))]
    if len(scenes) == 1:
        return scenes[0]
    first, *rest = scenes
    if not caption and all(scene.caption == first.caption for scene in rest):
        caption = first.caption
        scenes = [replace(scene, caption="") for scene in scenes]
    shared = tuple(reading for reading in first.readings if all(reading in scene.readings for scene in rest))
    panels = tuple(replace(scene, readings=()) for scene in scenes)
    return Scene(caption=caption, readings=shared, panels=panels, columns=columns or choose_columns(len(panels)))


def spread_scenes(scenes: int, most: int = MOST_PICTURES) -> list[int]:
    """Return the numbers of at most so many scenes, evenly spread, the first and the last among them."""
    if scenes <= most:
        return list(range(scenes))
    return [round(i * (scenes - 1) / (most - 1)) for i in range(most)]


def choose_columns(pictures: int) -> int:
    """Return how many pictures stand in a row."""
    return min(pictures, max(1, round(math.sqrt(1.2 * pictures))))


MILLISECONDS = 250
Images = Callable[[Sequence[int]], Iterator[Image]]


class RenderedFilm(NamedTuple):
    """A film ready to be written.

    Attributes
    ----------
    scenes : sequence of Scene
        The scenes in order.
    images : callable
        indices -> the pictures of these scenes, uint8[H, W, 3], all of one size.
    sheet : callable
        () -> one picture of the whole film, its scenes side by side.
    milliseconds : int
        How long each scene is shown.
    """

    scenes: Sequence[Scene]
    images: Images
    sheet: Callable[[], Image]
    milliseconds: int = MILLISECONDS


@dataclass(frozen=True)
class FilmFormat:
    """A file format of films.

    Parameters
    ----------
    encoder : callable
        `RenderedFilm` -> the bytes of a file, the same bytes for the same film.
    modules : tuple of str
        Modules that the encoder imports beside the standard library and numpy.
    extra : str
        The extra of caregrid that installs them; "" where there is none.
    """

    encoder: Callable[[RenderedFilm], bytes]
    modules: tuple[str, ...] = ()
    extra: str = ""

    def encode(self, film: RenderedFilm) -> bytes:
        """Return the bytes of a film's file; ContractBroken where the encoder raises or gives anything else."""
        with user_code(describe_place(self.encoder)):
            content = self.encoder(film)
        if not isinstance(content, bytes) or not content:
            refuse(self.encoder, "the encoder", content, "the bytes of a file")
        return content

    def require_modules(self, name: str) -> None:
        """MissingExtra where a module is absent; name: how messages call the format."""
        for module in self.modules:
            if not _is_installed(module):
                remedy = f"pip install 'caregrid[{self.extra}]'" if self.extra else f"install {module}"
                raise MissingExtra(f"{name} needs {module}", place="film", remedy=remedy)


def render(
    film: Sequence[Scene], tile: int = 48, milliseconds: int = MILLISECONDS, signs: Signs = "sprites"
) -> RenderedFilm:
    """Return a film with pictures of `tile` pixels a cell, drawn when they are asked for."""

    def images(indices: Sequence[int]) -> Iterator[Image]:
        return draw_frames([film[i] for i in indices], tile, signs)

    return RenderedFilm(film, images, lambda: draw_picture(make_storyboard(film), tile, signs), milliseconds)


FILM_FORMAT = Contract[FilmFormat](
    "film format",
    instance_of=FilmFormat,
    fields=(Field("modules", "expected a tuple of names", is_name_tuple),),
    methods=(Method("encode(film)", attribute="encoder"),),
)


def check_film_format(film_format: Any) -> None:
    """Encode a small film twice, and raise ContractBroken unless both give the same bytes."""
    checked = FILM_FORMAT.accept(film_format)
    floor = ("####", "#  #", "####")
    film = tuple(Scene(floor, (Mark(1, column, "@", "agent", "agent"),), caption=f"step {column}") for column in (1, 2))
    first, second = (checked.encode(render(film, tile=16)) for _ in range(2))
    if first != second:
        refuse(checked.encoder, "the encoder", "other bytes the second time", "the same bytes for the same film")


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ValueError:
        return False


FORMATS: Registry[FilmFormat] = Registry(
    "renderers.formats", "film format", accept=FILM_FORMAT.accept, group="caregrid.film_formats"
)


def save_film(
    path: str | Path,
    film: Sequence[Scene],
    *,
    tile: int = 48,
    milliseconds: int = MILLISECONDS,
    file_format: str | None = None,
    signs: Signs = "sprites",
) -> None:
    """Write a film, atomically, in the format that the path's ending names.

    Parameters
    ----------
    path : str or Path
        The file to write.
    film : sequence of Scene
        The scenes in order.
    tile : int
        Pixels a cell.
    milliseconds : int
        How long each scene is shown.
    file_format : str, optional
        Another format than the ending's, by its name or `module:attribute`.
    signs : "sprites" or "letters"
        How things are shown.

    Raises
    ------
    UnknownName
        For an unknown format.
    MissingExtra
        For a format that needs a package that is not installed.
    BadValue
        For an empty film or a tile size out of range.
    BadFile
        Where the file cannot be written.
    """
    save_rendered(path, render(film, tile, milliseconds, signs), file_format)


def save_rendered(path: str | Path, film: RenderedFilm, file_format: str | None = None) -> None:
    """Write a rendered film, as `save_film` does."""
    encoder = format_for(path, file_format)
    if not len(film.scenes):
        raise BadValue("a film without scenes", place=str(path), remedy="record at least one step")
    write_atomically(path, encoder.encode(film))


def format_for(path: str | Path, file_format: str | None = None) -> FilmFormat:
    """Return the format for a path, ready to use: call it before a long computation.

    Raises UnknownName where no format has the path's ending, MissingExtra where the format needs a package.
    """
    name = file_format or Path(path).suffix.removeprefix(".").lower()
    if not file_format and name not in FORMATS:
        raise UnknownName(
            "film format", name or Path(path).name, FORMATS.names(), place=argument("path", option="--out")
        )
    encoder = FORMATS[name]
    encoder.require_modules(name.upper())
    return encoder
