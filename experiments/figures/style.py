"""Drawing figures the same way everywhere: quiet, colour-blind-safe, and the same bytes for the same rows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import MissingExtra
from engine.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# P. Tol's "bright" scheme, distinguishable for colour-blind readers.
OWN, OTHER, TOTAL, SOFT = "#4477AA", "#EE6677", "#228833", "#BBBBBB"
CYCLE = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#BBBBBB")


def new_figure(width: float = 7.0, height: float = 4.5) -> Figure:
    """An empty figure (inches); MissingExtra where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        remedy = "pip install 'caregrid[plot]'"
        raise MissingExtra("figures need matplotlib", place="figure", remedy=remedy) from error
    return Figure(figsize=(width, height), dpi=120, layout="constrained")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF, by the path's suffix."""
    write_atomically(path, picture(figure, Path(path).suffix.lstrip(".") or "png"))


def picture(figure: Figure, kind: str) -> bytes:
    """A matplotlib figure as bytes that depend on the figure only."""
    import matplotlib as mpl

    stream = io.BytesIO()
    nothing: dict[str, None] = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with mpl.rc_context({"svg.hashsalt": "caregrid"}):
        figure.savefig(stream, format=kind, dpi=120, metadata=nothing)
    return stream.getvalue()
