"""What functions of caregrid return: named fields, a table, a figure, files written completely or not at all.

`Result` is the contract. A film is a result, too (`RecordedFilm`): it plays in a notebook and is written as
`caregrid record` writes it. Figures hold our own pictures of worlds as vectors, on the axes of matplotlib; PNGs are
made without matplotlib. In a notebook, or as a page, a result is its title, its figure and its first rows.
"""

from __future__ import annotations

import base64
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.command_line.operation import ChecksArguments
from engine.errors import BadFile, BadValue, MissingExtra, UnknownName
from engine.files import require_writable, write_atomically
from engine.plain_values import make_json_value
from engine.printable import make_printable
from engine.value_types import Frames
from experiments.figures import PICTURES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from engine.scene import Film, Scene, Signs
    from renderers.drawing.shapes import Image

Writer = Callable[[Path], object]
TABLES = ("csv", "parquet", "json", "npz", "txt", "html", "tex")
SCREEN_DOTS = 120  # an inch, in notebooks and pages
ROWS_SHOWN = 20
TILE = 40
MILLISECONDS = 250
FRAME_MARGIN = 70
MOST_SCENES = 12
INCHES_A_PIXEL = 1 / 100
FINER = 2  # pixels between which outlines are found, for one of the picture
LARGEST_TYPE = 14.0


class Result(ChecksArguments, ABC):
    """What a function of caregrid returns.

    A result names its fields. `rows` is the result as a table, `figure` as a picture; `text` and `as_dict` are what the
    command prints without and with --json. `save` writes each of them.

    Attributes
    ----------
    endings : tuple of str
        The kinds of file into which every result of the class can be written.
    as_wide_as_terminal : bool
        Whether `output_text` is fitted to the terminal already, and made printable.
    """

    endings: ClassVar[tuple[str, ...]] = (*TABLES, *PICTURES)
    as_wide_as_terminal: ClassVar[bool] = False

    @classmethod
    def check_place(cls, path: str | Path) -> str:
        """Return the ending of a path, to be asked before a result is worked out; refuse what it cannot be written to.

        Raises UnknownName for an ending that is not written, BadFile for a folder that is not there.
        """
        target = Path(path)
        ending = target.suffix.removeprefix(".").lower()
        if ending not in cls.endings:
            raise UnknownName("kind of file", ending or target.name, cls.endings, place="out")
        require_writable(path)
        if not target.parent.is_dir():
            raise BadFile("cannot write: no such folder", place=str(target), remedy="make its folder first")
        return ending

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is of, in a few words."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the result as a tidy table: one flat dictionary a row, the same keys in each."""

    def figure(self) -> Figure:
        """Draw the result with matplotlib; MissingExtra where that is missing, BadValue where nothing is drawn."""
        raise BadValue("it has no figure", place=self.title, remedy="write a table, such as .csv")

    @abstractmethod
    def text(self) -> str:
        """Return what the command prints."""

    def as_dict(self) -> dict[str, Any]:
        """Return what the command prints with --json, as Python's own values."""
        return {"rows": make_json_value(self.rows())}

    def output(self) -> dict[str, Any]:
        """Return what the command prints with --json where that is more than `as_dict`."""
        return self.as_dict()

    def output_text(self) -> str:
        """Return what the command prints where that is more than `text`."""
        return self.text()

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame."""
        import pandas as pd

        from experiments.rows import list_columns

        rows = self.rows()
        return pd.DataFrame(rows, columns=list_columns(rows))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns as arrays: f64 with nan for None where all are numbers, else text with "" for None."""
        from experiments.rows import list_columns

        rows = self.rows()
        return {name: column_array([row.get(name) for row in rows]) for name in list_columns(rows)}

    def save(self, path: str | Path, kind: str | None = None) -> Path:
        """Write the result, atomically, as the path's ending says; returns the path.

        kind: the ending to go by, where the path has another. Raises UnknownName for an ending that is not written,
        MissingExtra where a package is missing, BadFile where the disk refuses.
        """
        target = Path(path)
        writers = self.writers()
        ending = (kind or target.suffix.removeprefix(".")).lower()
        if ending not in writers:
            raise UnknownName("kind of file", ending or target.name, writers, place="save")
        writers[ending](target)
        return target

    def writers(self) -> dict[str, Writer]:
        """Return ending -> what writes a file of that kind."""
        from experiments.stored_rows import write_rows

        def as_picture(path: Path, ending: str) -> None:
            from experiments.figures.style import render_figure

            write_atomically(path, render_figure(self.figure(), ending))

        pictures: dict[str, Writer] = {ending: partial(as_picture, ending=ending) for ending in PICTURES}
        return {
            "csv": lambda path: write_rows(path, self.rows(), "csv"),
            "parquet": lambda path: write_rows(path, self.rows(), "parquet"),
            "json": lambda path: write_atomically(path, json.dumps(self.as_dict(), indent=1) + "\n"),
            "npz": lambda path: write_atomically(path, npz_bytes(self.arrays())),
            "tex": lambda path: write_atomically(path, make_latex_table(self.frame())),
            "txt": lambda path: write_atomically(path, self.text() + "\n"),
            "html": lambda path: write_atomically(path, summary_page(self.title, self._repr_png_(), self.rows())),
            **pictures,
        }

    def __repr__(self) -> str:
        return self.text() if self.as_wide_as_terminal else make_printable(self.text())

    def _repr_html_(self) -> str:

        return summary_html(self.title, self._repr_png_(), self.rows())

    def _repr_png_(self) -> bytes | None:
        """Return the figure, None where there is none or matplotlib is not installed."""
        from experiments.figures.style import render_figure

        try:
            return render_figure(self.figure(), "png", SCREEN_DOTS)
        except (BadValue, MissingExtra):
            return None


def make_latex_table(frame: pd.DataFrame) -> str:
    """Return a frame as a table of LaTeX with the lines of the package booktabs; MissingExtra without jinja2."""
    try:
        return str(frame.to_latex(index=False, escape=True, float_format="%g", na_rep="--"))
    except ImportError as error:
        remedy = "pip install jinja2"
        raise MissingExtra("a table of LaTeX needs jinja2", place="save", remedy=remedy) from error


def column_array(values: list[Any]) -> NDArray[Any]:
    """Return numbers (None as nan) as f64, anything else as text (None as "")."""
    import numpy as np

    if all(value is None or isinstance(value, bool | int | float) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)


def npz_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of an `.npz` file, the same ones for the same arrays."""
    import numpy as np

    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def summary_html(
    title: str, png: bytes | None, rows: Sequence[dict[str, Any]], rows_shown: int | None = ROWS_SHOWN
) -> str:
    """Return a fragment; of a long table the first rows (all of them where `rows_shown` is None)."""
    from experiments.report.pages import write_html_table

    parts = [f"<p><b>{escape(title)}</b></p>", html_image(png, title)]
    parts.append(write_html_table(rows[:rows_shown]) if rows else "")
    if rows_shown is not None and len(rows) > rows_shown:
        parts.append(f"<p>{rows_shown} of {len(rows)} rows</p>")
    return "\n".join(filter(None, parts))


def summary_page(title: str, png: bytes | None, rows: Sequence[dict[str, Any]]) -> str:
    """Return a page of its own that fetches nothing."""
    from experiments.report.pages import write_html_page

    return write_html_page(title, f"<section>{summary_html(title, png, rows, None)}</section>")


def html_image(png: bytes | None, title: str) -> str:
    """Return a picture inside the page, "" for none."""
    if png is None:
        return ""
    return f'<img alt="{escape(title)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def scene_figure(scene: Scene, tile: int = 40, signs: Signs = "sprites") -> Figure:
    """Return a figure of one scene, as vectors; MissingExtra where matplotlib is not installed."""
    from renderers.drawing.picture import Painter
    from renderers.drawing.raster import LARGEST
    from renderers.drawing.shapes import draw_vectors

    fine = FINER if FINER * tile <= LARGEST else 1
    with draw_vectors():
        painter = Painter(fine * tile, readings=False, largest_type=fine * LARGEST_TYPE, signs=signs)
        picture = painter.picture(scene)
    return _figure(picture, INCHES_A_PIXEL / fine)


def scene_png(scene: Scene, tile: int) -> bytes:
    """Return a scene as the bytes of a PNG, without matplotlib."""
    from renderers.drawing.picture import draw_picture
    from renderers.formats.pictures import encode_image

    return encode_image(draw_picture(scene, tile))


def film_figure(film: Sequence[Scene], tile: int = 24) -> Figure:
    """Draw evenly spread scenes of a film beside and below each other, the first and the last among them."""
    from renderers.drawing.picture import draw_picture
    from renderers.drawing.shapes import draw_vectors
    from renderers.film import make_storyboard, spread_scenes

    with draw_vectors():
        return _figure(
            draw_picture(make_storyboard([film[number] for number in spread_scenes(len(film), MOST_SCENES)]), tile)
        )


def _figure(image: Image, inches: float = INCHES_A_PIXEL) -> Figure:
    """Return a figure of a picture. inches: a pixel."""
    from experiments.figures.boards import show_picture
    from experiments.figures.style import new_figure

    height, width = image.shape[:2]
    figure = new_figure(width * inches, height * inches)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    show_picture(axes, image)
    axes.set_axis_off()
    return figure


@dataclass(frozen=True, repr=False, eq=False)
class RecordedFilm(Result):
    """Scenes one after the other.

    name: of what is shown. scenes: see `engine.scene`. tile: pixels a cell. milliseconds: for each scene. signs: how
    things are shown.
    """

    name: str
    scenes: Film
    tile: int = TILE
    milliseconds: int = MILLISECONDS
    signs: Signs = "sprites"

    @property
    def title(self) -> str:
        """Its name and length."""
        return f"{self.name}, {len(self)} scenes"

    def __len__(self) -> int:
        return len(self.scenes)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per scene: its caption and readings."""
        labels = list(dict.fromkeys(label for scene in self.scenes for label, _ in scene.readings))
        return [
            {"scene": number, "caption": scene.caption, **dict.fromkeys(labels), **dict(scene.readings)}
            for number, scene in enumerate(self.scenes)
        ]

    def figure(self) -> Figure:
        """Return a contact sheet."""
        return film_figure(self.scenes)

    def text(self) -> str:
        """Return its name and length."""
        return self.title

    def save(self, path: str | Path, kind: str | None = None) -> Path:
        """Write the film as the path's ending says: .gif, .html, .png, .svg, .mp4, .json, .txt, or one of a package.

        kind: another format than the ending's, also `module:attribute`. Raises as `renderers.film.save_film`.
        """
        from renderers.film import save_film

        save_film(path, self.scenes, tile=self.tile, milliseconds=self.milliseconds, file_format=kind, signs=self.signs)
        return Path(path)

    def view(self, *, out: str | Path | None = None, frames: Frames | None = None, keys: str = "") -> None:
        """Open the viewer in a window, or, with `out`, write what it would show; frames, keys: as there."""
        from caregrid.programmes.screen import Screen, display
        from renderers.viewer.viewable import ViewableFilm

        screen = Screen(out, frames, keys).check()
        display(ViewableFilm(self.scenes, self.name), screen)

    def writers(self) -> dict[str, Writer]:
        """Return ending -> what writes a film in that format."""
        from renderers.film import FORMATS

        return {name: partial(self.save, kind=name) for name in FORMATS}

    @cached_property
    def page(self) -> str:
        """The film as a page with a player, which fetches nothing."""
        from renderers.film import FORMATS, render

        return FORMATS["html"].encode(render(self.scenes, self.tile, self.milliseconds, self.signs)).decode()

    def _repr_html_(self) -> str:
        """Return the player, in a frame of its own."""
        from renderers.film import render

        [first] = render(self.scenes, self.tile, signs=self.signs).images([0])
        height = max(first.shape[0], FRAME_MARGIN) + FRAME_MARGIN
        page = escape(self.page)
        title = escape(self.title)
        return f'<iframe title="{title}" srcdoc="{page}" width="100%" height="{height}"></iframe>'


def film_writers(film: Callable[[], RecordedFilm]) -> dict[str, Writer]:
    """Return the writers of a result that can be shown as a film: .gif, .mp4, and .html with a player."""

    def as_film(path: Path, ending: str) -> None:
        film().save(path, ending)

    return {name: partial(as_film, ending=name) for name in ("gif", "mp4", "html")}
