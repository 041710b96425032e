"""What a film format is: it turns a rendered film into the bytes of a file."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.contracts import refuse, require_instance, require_parameters
from engine.errors import ContractBroken, MissingExtra
from engine.scene import Mark, Scene
from engine.user_code import place_of, user_code
from renderers.drawing.picture import frames, picture_of
from renderers.drawing.shapes import Image
from renderers.storyboard import storyboard

MILLISECONDS = 250
Images = Callable[[Sequence[int]], Iterator[Image]]


class RenderedFilm(NamedTuple):
    """A film ready to be written: its scenes, their pictures, and for how many milliseconds each is shown.

    images(indices): the pictures of some scenes, uint8[H, W, 3], all of one size. sheet(): one picture of the whole
    film, its scenes side by side.
    """

    scenes: Sequence[Scene]
    images: Images
    sheet: Callable[[], Image]
    milliseconds: int = MILLISECONDS


@dataclass(frozen=True)
class FilmFormat:
    """A file format of films.

    encoder: rendered film -> the bytes of a file, the same bytes for the same film. modules: what it imports beside the
    standard library and numpy. extra: the extra of caregrid that installs them, if there is one.
    """

    encoder: Callable[[RenderedFilm], bytes]
    modules: tuple[str, ...] = ()
    extra: str = ""

    def encode(self, film: RenderedFilm) -> bytes:
        """The bytes of a film's file; ContractBroken where the encoder raises or gives anything else."""
        with user_code(place_of(self.encoder)):
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


def render(film: Sequence[Scene], tile: int = 48, milliseconds: int = MILLISECONDS) -> RenderedFilm:
    """A film with pictures of `tile` pixels a cell, drawn when they are asked for."""

    def images(indices: Sequence[int]) -> Iterator[Image]:
        return frames([film[i] for i in indices], tile)

    return RenderedFilm(film, images, lambda: picture_of(storyboard(film), tile), milliseconds)


def accept_film_format(film_format: Any) -> FilmFormat:
    """The format itself; ContractBroken where it is none, or where its encoder does not take one film."""
    require_instance(film_format, FilmFormat, "film format")
    assert isinstance(film_format, FilmFormat)
    if not callable(film_format.encoder):
        raise ContractBroken(f"encoder is {film_format.encoder!r}", place="film format", remedy="expected a function")
    require_parameters(film_format.encoder, 1, "encode(film)")
    modules = film_format.modules
    if not isinstance(modules, tuple) or not all(isinstance(one, str) and one for one in modules):
        problem = f"modules is {modules!r}"
        raise ContractBroken(problem, place="film format", remedy="expected a tuple of names")
    return film_format


def check_film_format(film_format: Any) -> None:
    """Encode a small film twice, and raise ContractBroken unless both give the same bytes."""
    checked = accept_film_format(film_format)
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
