"""The contract of a result: named fields, a table, a figure, files written completely or not at all, notebook views."""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.input_checks import check_arguments
from engine.errors import BadFile, BadValue, MissingExtra, UnknownName
from engine.files import require_writable, write_atomically
from engine.plain_values import make_json_value
from experiments.figures.style import PICTURES, render_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Writer = Callable[[Path], object]
TABLES = ("csv", "parquet", "json", "npz", "txt", "html", "tex")
SCREEN_DOTS = 120  # an inch, in notebooks and pages


class Result(ABC):
    """What a function of caregrid returns.

    A result names its fields. `rows` is the result as a table, `figure` as a picture; `text` and `as_dict` are what the
    command prints without and with --json. `save` writes each of them.

    Attributes
    ----------
    endings : tuple of str
        The kinds of file into which every result of the class can be written.
    as_wide_as_terminal : bool
        Whether `output_text` is fitted to the terminal already.
    """

    endings: ClassVar[tuple[str, ...]] = (*TABLES, *PICTURES)
    as_wide_as_terminal: ClassVar[bool] = False

    @classmethod
    def checked_place(cls, path: str | Path) -> str:
        """The ending of a path that such a result can be written to, to be asked before the result is worked out.

        Raises UnknownName for an ending that is not written, BadFile for a folder that is not there.
        """
        target = Path(path)
        ending = target.suffix.removeprefix(".").lower()
        if ending not in cls.endings:
            raise UnknownName("kind of file", ending or target.name, cls.endings, place="out")
        require_writable(target)
        if not target.parent.is_dir():
            raise BadFile("cannot write: no such folder", place=str(target), remedy="make its folder first")
        return ending

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is of, in a few words."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The result as a tidy table: one flat dictionary a row, the same keys in each."""

    def figure(self) -> Figure:
        """The result as a matplotlib figure; MissingExtra where matplotlib is missing, BadValue where none is drawn."""
        raise BadValue("it has no figure", place=self.title, remedy="write a table, such as .csv")

    @abstractmethod
    def text(self) -> str:
        """What the command prints."""

    def as_dict(self) -> dict[str, Any]:
        """What the command prints with --json, as Python's own values."""
        return {"rows": make_json_value(self.rows())}

    def output(self) -> dict[str, Any]:
        """What the command prints with --json where that is more than `as_dict`."""
        return self.as_dict()

    def output_text(self) -> str:
        """What the command prints where that is more than `text`."""
        return self.text()

    def frame(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame."""
        import pandas as pd

        from experiments.rows import list_columns

        rows = self.rows()
        return pd.DataFrame(rows, columns=list_columns(rows))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Column's name -> array: f64 with nan for None where all are numbers, else text with "" for None."""
        from experiments.rows import list_columns

        rows = self.rows()
        return {name: column_array([row.get(name) for row in rows]) for name in list_columns(rows)}

    @check_arguments
    def save(self, path: str | Path, kind: str | None = None) -> Path:
        """Write the result, atomically, as the path's ending says; returns the path.

        kind: the ending to go by, where the path has another. Raises UnknownName for an ending that is not written,
        MissingExtra for one that needs a package, BadFile where the disk refuses.
        """
        target = Path(path)
        writers = self.writers()
        ending = (kind or target.suffix.removeprefix(".")).lower()
        if ending not in writers:
            raise UnknownName("kind of file", ending or target.name, writers, place="save")
        writers[ending](target)
        return target

    def writers(self) -> dict[str, Writer]:
        """Ending -> what writes a file of that kind."""
        from caregrid.results.summary_page import summary_page
        from experiments.stored_rows import write_rows

        def as_picture(path: Path, ending: str) -> None:
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
        return self.text()

    def _repr_html_(self) -> str:
        from caregrid.results.summary_page import summary_html

        return summary_html(self.title, self._repr_png_(), self.rows())

    def _repr_png_(self) -> bytes | None:
        """The figure, None where there is none or matplotlib is not installed."""

        try:
            return render_figure(self.figure(), "png", SCREEN_DOTS)
        except (BadValue, MissingExtra):
            return None


def make_latex_table(frame: pd.DataFrame) -> str:
    """A frame as a table of LaTeX with the lines of the package booktabs; MissingExtra without jinja2."""
    try:
        return str(frame.to_latex(index=False, escape=True, float_format="%g", na_rep="--"))
    except ImportError as error:
        remedy = "pip install jinja2"
        raise MissingExtra("a table of LaTeX needs jinja2", place="save", remedy=remedy) from error


def column_array(values: list[Any]) -> NDArray[Any]:
    """Numbers (None as nan) as f64, anything else as text (None as "")."""
    import numpy as np

    if all(value is None or isinstance(value, bool | int | float) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)


def npz_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of an `.npz` file, the same ones for the same arrays."""
    import numpy as np

    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()
