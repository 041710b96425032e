"""Drawing figures the same way everywhere: quiet, colour-blind-safe, fit for print, the same bytes for the same rows.

A figure is drawn for paper (8 point letters at its own size) or for slides (larger letters and thicker lines).
Figures that a style should reach are made inside `figure_style`, or by a function that is decorated with it.
Inside `caregrid.dark_pictures` it is written on the dark ground of films and of the live page.
Numbers that a paper prints are hollow diamonds over ours, the same in every figure, explained in the legend.
"""

from __future__ import annotations

import functools
import io
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

from engine.errors import BadValue, MissingExtra, UnknownName, argument
from engine.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from engine.mdp.mdp import Floats
    from renderers.drawing.palette import Colour

DrawParameters = ParamSpec("DrawParameters")
Drawn = TypeVar("Drawn")
Look: TypeAlias = dict[str, Any]  # keywords of one of matplotlib's functions

# P. Tol's "bright" scheme, distinguishable for colour-blind readers; GREY is dark enough for letters.
OWN, OTHER, TOTAL, SOFT, GREY = "#4477AA", "#EE6677", "#228833", "#BBBBBB", "#555555"
CYCLE = ("#4477AA", "#EE6677", "#228833", "#B8A200", "#66CCEE", "#AA3377", "#888888")
COLOUR_MAP = "cividis"
"""Of numbers, low to high, on both sides of 0, too: from dark to light, so that it reads in grey and by colour-blind
readers."""
HATCHES = ("", "//", "..", "\\\\", "xx", "--")
ONE_COLUMN, TWO_COLUMNS = 3.35, 6.9  # inches, the widths of most journals
DOTS_AN_INCH = 300
TRUETYPE = 42  # outlines that can be searched and edited; journals refuse Type 3


class FigureStyle(NamedTuple):
    """size: of the figure, against paper. letters: points. lines: points."""

    size: float
    letters: float
    lines: float

    def settings(self) -> dict[str, Any]:
        """As matplotlib's parameters."""
        return {
            "font.size": self.letters,
            "axes.titlesize": "medium",
            "axes.titlelocation": "left",
            "axes.labelsize": "medium",
            "xtick.labelsize": "medium",
            "ytick.labelsize": "medium",
            "legend.fontsize": "medium",
            "figure.titlesize": "medium",
            "figure.labelsize": "medium",
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "lines.linewidth": self.lines,
            "lines.markersize": 3.5 * self.lines,
            "axes.linewidth": 0.5 * self.lines,
            "hatch.linewidth": 0.5 * self.lines,
            "axes.formatter.useoffset": False,
        }


STYLES = {"paper": FigureStyle(1.0, 8.0, 1.3), "slides": FigureStyle(1.25, 13.0, 2.2)}
PAPER = "paper"
_style: ContextVar[str] = ContextVar("figure style", default=PAPER)


@contextmanager
def figure_style(name: str) -> Iterator[FigureStyle]:
    """Figures made inside have this style; UnknownName for an unknown style, MissingExtra without matplotlib."""
    if name not in STYLES:
        raise UnknownName("style", name, STYLES, place=argument("style"))
    mpl = require_matplotlib()
    chosen = _style.set(name)
    try:
        with mpl.rc_context(STYLES[name].settings()):
            yield STYLES[name]
    finally:
        _style.reset(chosen)


def use_figure_style(draw: Callable[DrawParameters, Drawn]) -> Callable[DrawParameters, Drawn]:
    """Return the function with its figures drawn in the style around it, by default for paper."""

    @functools.wraps(draw)
    def draw_in_style(*arguments: DrawParameters.args, **options: DrawParameters.kwargs) -> Drawn:
        with figure_style(_style.get()):
            return draw(*arguments, **options)

    return draw_in_style


def new_figure(width: float = 6.0, height: float = 3.6) -> Figure:
    """Return an empty figure (inches on paper); MissingExtra where matplotlib is not installed."""
    require_matplotlib()
    from matplotlib.figure import Figure

    size = STYLES[_style.get()].size
    return Figure(figsize=(width * size, height * size), dpi=120, layout="constrained")


def measure_relative_letters() -> float:
    """Return how much larger letters are against the figure than on paper."""
    chosen = STYLES[_style.get()]
    return chosen.letters / STYLES[PAPER].letters / chosen.size


def letter_panels(panels: Iterable[Axes]) -> None:
    """Begin the titles of several panels with bold letters, a, b, c and so on, by which a text refers to them."""
    lettered = list(panels)
    for letter, axes in zip(ascii_lowercase, lettered if len(lettered) > 1 else (), strict=False):
        axes.set_title(rf"$\mathbf{{{letter}}}$  {axes.get_title('left')}")


def set_whole_ticks(axes: Axes, *which: str) -> None:
    """Ticks at whole numbers only, on the axes "x" and "y" that are named."""
    from matplotlib.ticker import MaxNLocator

    for name in which:
        axis = axes.xaxis if name == "x" else axes.yaxis
        axis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG, PDF or PGF, by the path's suffix."""
    write_atomically(path, render_figure(figure, Path(path).suffix.lstrip(".") or "png"))


def render_figure(figure: Figure, kind: str, dots: int = DOTS_AN_INCH) -> bytes:
    """Return a matplotlib figure as bytes that depend on the figure only; letters that its font lacks are boxes.

    Inside `dark_pictures` it is dark. kind: one of `PICTURES`. dots: an inch, of a PNG. Raises MissingExtra for a PGF
    where LaTeX is not installed, BadValue for a PGF of a figure with pixels in it.
    """
    from renderers.drawing.palette import is_dark

    mpl = require_picture(kind)
    stream = io.BytesIO()
    unsaid: dict[str, Any] = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    options = {"metadata": unsaid[kind]} if kind in unsaid else {}
    # letters of an SVG and a PDF stay letters, which can be searched and edited
    with (
        darken_figure(figure) if is_dark() else nullcontext(),
        mpl.rc_context({"svg.hashsalt": "caregrid", "svg.fonttype": "none", "pdf.fonttype": TRUETYPE}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        try:
            figure.savefig(stream, format=kind, dpi=dots, **options)
        except ValueError as error:
            if "raster graphics" not in str(error):
                raise
            raise BadValue("a .pgf cannot hold its pixels", place="figure", remedy="write a .pdf") from error
    return stream.getvalue()


COLOURED = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor", "hatchcolor")


@contextmanager
def darken_figure(figure: Figure) -> Iterator[None]:
    """Give all that a figure shows its dark colour, and afterwards its own again.

    The colours of `CYCLE` suit both grounds. Colours that stand for numbers stay, and so does what lies upon them.
    """
    figure.draw_without_rendering()  # so that all ticks are there
    shown = figure.findobj()
    mapped = [artist for artist in shown if _get_pixels(artist) is not None]
    upon = {artist for one in mapped if one.axes for artist in (*one.axes.texts, *one.axes.lines)}
    boxes = [box for artist in shown if (box := getattr(artist, "get_bbox_patch", lambda: None)())]
    changes: list[tuple[Callable[[Any], object], Any, Any]] = []
    for artist in (*shown, *boxes):
        if artist in mapped:
            changes += _darken_pixels(artist)
        elif artist not in upon:
            changes += _darken_artist(artist)
    try:
        for put, _, dark in changes:
            put(dark)
        yield
    finally:
        for put, light, _ in reversed(changes):
            put(light)


def _get_pixels(artist: Any) -> Any:
    return getattr(artist, "get_array", lambda: None)()


def _darken_pixels(image: Any) -> Iterator[tuple[Callable[[Any], object], Any, Any]]:
    """Yield how to set the pixels of a picture, what they are, and their dark form; nothing for colours of numbers."""
    import numpy as np

    from renderers.drawing.palette import darken

    pixels = _get_pixels(image)
    if pixels.ndim == 3:
        yield image.set_data, pixels, darken(np.asarray(pixels))


def _darken_artist(artist: Any) -> Iterator[tuple[Callable[[Any], object], Any, Any]]:
    """Yield how to set each colour of a line, a shape or a text, what it is, and its dark form."""
    import numpy as np
    from matplotlib.colors import to_rgba_array

    for name in COLOURED:
        get, put = (getattr(artist, f"{verb}_{name}", None) for verb in ("get", "set"))
        if get is not None and put is not None and (shades := to_rgba_array(given := get()))[:, 3].any():
            dark = _darken_shades(shades)
            yield put, given, dark if np.ndim(given) == 2 else tuple(dark[0])


def _darken_shades(shades: Floats) -> Floats:
    """Return the dark form of colours, f64[N, 4] with red, green, blue and opacity from 0 to 1."""
    import numpy as np

    from renderers.drawing.palette import write_code

    darkened = shades.copy()
    for shade in darkened:
        red, green, blue = (round(255 * float(channel)) for channel in shade[:3])
        if write_code((red, green, blue)).upper() not in CYCLE:
            shade[:3] = np.divide(_darken_shade((red, green, blue)), 255)
    return darkened


@functools.cache
def _darken_shade(shade: Colour) -> Colour:
    from renderers.drawing.palette import SURFACES, WHITE, darken_colour

    return SURFACES["paper"].dark if shade == WHITE else darken_colour(shade)


def require_picture(kind: str) -> Any:
    """The module matplotlib; MissingExtra where it is not installed, or LaTeX, which measures the letters of a PGF."""
    mpl = require_matplotlib()
    system = mpl.rcParams["pgf.texsystem"]
    if kind == "pgf" and shutil.which(system) is None:
        remedy = "install LaTeX, name another program in matplotlibrc (pgf.texsystem: pdflatex), or write a .pdf"
        raise MissingExtra(f"a .pgf needs LaTeX, and '{system}' is not installed", place="figure", remedy=remedy)
    return mpl


def require_matplotlib() -> Any:
    """Return the module matplotlib; MissingExtra where it is not installed."""
    try:
        import matplotlib.figure
    except ImportError as error:
        remedy = "pip install 'caregrid[plot]'"
        raise MissingExtra("figures need matplotlib", place="figure", remedy=remedy) from error
    return matplotlib


PRINTED = "printed in the paper"
PRINTED_MARKS = "printed"
LARGER = 1.75  # than other marks, so that a number that comes out lies inside its diamond


def mark_printed(axes: Axes, points: Iterable[tuple[float, float]], label: str = PRINTED) -> Line2D:
    """Draw a diamond at each (x, y), and give what stands for them in a legend."""
    from matplotlib import rcParams

    xs, ys = zip(*points, strict=True)
    look: Look = {"color": GREY, "markerfacecolor": "none", "zorder": 4, "gid": PRINTED_MARKS, "label": label}
    [marks] = axes.plot(xs, ys, "D", markersize=LARGER * rcParams["lines.markersize"], **look)
    return marks


def explain_printed(axes: Axes, points: Iterable[tuple[float, float]]) -> None:
    """Diamonds at the points, if there are any, and a legend below a figure that has no other."""
    found = list(points)
    if found:
        marks = mark_printed(axes, found)
        axes.figure.legend(handles=[marks], loc="outside lower center")
