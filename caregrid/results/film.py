"""Scenes as figures, and a film as a result: it plays in a notebook and is written as `caregrid record` writes it.

Figures hold our own pictures of worlds as vectors, on the axes of matplotlib; PNGs are made without matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.input_checks import check_arguments
from caregrid.results.result import Result, Writer
from engine.scene import Film, Scene
from engine.value_types import Frames

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from renderers.drawing.shapes import Image

INCHES_A_PIXEL = 1 / 100
FINER = 2  # pixels between which outlines are found, for one of the picture
LARGEST_TYPE = 14.0
MOST_SCENES = 12


def scene_figure(scene: Scene, tile: int = 40) -> Figure:
    """A figure of one scene, as vectors; MissingExtra where matplotlib is not installed."""
    from renderers.drawing.picture import Painter
    from renderers.drawing.raster import LARGEST
    from renderers.drawing.vectors import draw_vectors

    fine = FINER if FINER * tile <= LARGEST else 1
    with draw_vectors():
        picture = Painter(fine * tile, readings=False, largest_type=fine * LARGEST_TYPE).picture(scene)
    return _figure(picture, INCHES_A_PIXEL / fine)


def scene_png(scene: Scene, tile: int) -> bytes:
    """A scene as the bytes of a PNG, without matplotlib."""
    from renderers.drawing.picture import Painter
    from renderers.formats.pictures import encode_image

    return encode_image(Painter(tile).picture(scene))


def film_figure(film: Sequence[Scene], tile: int = 24) -> Figure:
    """Evenly spread scenes of a film beside and below each other, the first and the last among them."""
    from renderers.drawing.picture import draw_picture
    from renderers.drawing.vectors import draw_vectors
    from renderers.film import make_storyboard, spread_scenes

    with draw_vectors():
        return _figure(
            draw_picture(make_storyboard([film[number] for number in spread_scenes(len(film), MOST_SCENES)]), tile)
        )


def _figure(image: Image, inches: float = INCHES_A_PIXEL) -> Figure:
    """A figure of a picture. inches: a pixel."""
    from experiments.figures.boards import show_picture
    from experiments.figures.style import new_figure

    height, width = image.shape[:2]
    figure = new_figure(width * inches, height * inches)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    show_picture(axes, image)
    axes.set_axis_off()
    return figure


FRAME_MARGIN = 70
TILE = 40
MILLISECONDS = 250


@dataclass(frozen=True, repr=False, eq=False)
class RecordedFilm(Result):
    """Scenes one after the other.

    name: of what is shown. scenes: see `engine.scene`. tile: pixels a cell. milliseconds: for each scene.
    """

    name: str
    scenes: Film
    tile: int = TILE
    milliseconds: int = MILLISECONDS

    @property
    def title(self) -> str:
        """Its name and length."""
        return f"{self.name}, {len(self)} scenes"

    def __len__(self) -> int:
        return len(self.scenes)

    def rows(self) -> list[dict[str, Any]]:
        """A row per scene: its caption and readings."""
        labels = list(dict.fromkeys(label for scene in self.scenes for label, _ in scene.readings))
        return [
            {"scene": number, "caption": scene.caption, **dict.fromkeys(labels), **dict(scene.readings)}
            for number, scene in enumerate(self.scenes)
        ]

    def figure(self) -> Figure:
        """A contact sheet."""
        return film_figure(self.scenes)

    def text(self) -> str:
        """Its name and length."""
        return self.title

    @check_arguments
    def save(self, path: str | Path, kind: str | None = None) -> Path:
        """Write the film as the path's ending says: .gif, .html, .png, .mp4, .json, .txt, or what a package adds.

        kind: another format than the ending's, also `module:attribute`. Raises as `renderers.film.save_film`.
        """
        from renderers.film import save_film

        save_film(path, self.scenes, tile=self.tile, milliseconds=self.milliseconds, file_format=kind)
        return Path(path)

    @check_arguments
    def view(self, *, out: str | Path | None = None, frames: Frames | None = None, keys: str = "") -> None:
        """Open the viewer in a window, or, with `out`, write what it would show; frames, keys: as there."""
        from caregrid.programmes.screen import Screen, display
        from renderers.viewer.viewable import ViewableFilm

        screen = Screen(out, frames, keys).checked()
        display(ViewableFilm(self.scenes, self.name), screen)

    def writers(self) -> dict[str, Writer]:
        """Ending -> what writes a film in that format."""
        from renderers.film import FORMATS

        return {name: partial(self.save, kind=name) for name in FORMATS}

    @cached_property
    def page(self) -> str:
        """The film as a page with a player, which fetches nothing."""
        from renderers.film import FORMATS, render

        return FORMATS["html"].encode(render(self.scenes, self.tile, self.milliseconds)).decode()

    def _repr_html_(self) -> str:
        """The player, in a frame of its own."""
        from renderers.film import render

        [first] = render(self.scenes, self.tile).images([0])
        height = max(first.shape[0], FRAME_MARGIN) + FRAME_MARGIN
        page = escape(self.page)
        title = escape(self.title)
        return f'<iframe title="{title}" srcdoc="{page}" width="100%" height="{height}"></iframe>'


def film_writers(film: Callable[[], RecordedFilm]) -> dict[str, Writer]:
    """The writers of a result that can be shown as a film: .gif, .mp4, and .html with a player."""

    def as_film(path: Path, ending: str) -> None:
        film().save(path, ending)

    return {name: partial(as_film, ending=name) for name in ("gif", "mp4", "html")}
