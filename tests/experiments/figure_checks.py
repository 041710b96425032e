"""What every figure must be: nothing cut off, axes with labels, letters that venues accept."""

import re
import zlib

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text

from experiments.figures.style import PRINTED, PRINTED_MARKS, render_figure


def require_room(figure: Figure) -> None:
    """No text lies outside the figure, not even in part."""
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    hidden, (width, height) = _hidden_ticks(figure), figure.get_size_inches() * figure.dpi
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if not text.get_visible() or not text.get_text().strip() or id(text) in hidden:
            continue
        box = Text.get_window_extent(text) if isinstance(text, Annotation) else text.get_window_extent()
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        assert inside, f"{text.get_text()!r} is cut off: {box} of {width:g} x {height:g}"


def _hidden_ticks(figure: Figure) -> set[int]:
    """Labels of ticks beyond the limits of their axis: they exist, and are not drawn."""
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low <= tick.get_loc() <= high:  # type: ignore[attr-defined]
                    hidden |= {id(tick.label1), id(tick.label2)}
    return hidden


def require_labels(figure: Figure) -> None:
    """Horizontal and vertical axes with numbers have a label, on one of the panels or on the figure."""
    for which, common in (("x", figure._supxlabel), ("y", figure._supylabel)):  # type: ignore[attr-defined]
        labels = [getattr(axes, f"get_{which}label")() for axes in figure.axes if axes.get_visible()]
        words = [
            tick.get_text() for axes in figure.axes if axes.axison for tick in getattr(axes, f"get_{which}ticklabels")()
        ]
        numeric = [word for word in words if re.fullmatch(r"[−\d.e+]+", word)]
        assert common or any(labels) or not numeric, f"no {which} label beside {numeric}"


def require_printed(figure: Figure, published: int) -> None:
    """Every number of the paper is marked, and the legend says what the marks are."""
    marks = [line for line in figure.findobj(Line2D) if line.get_gid() == PRINTED_MARKS]
    assert sum(len(line.get_xdata()) for line in marks if isinstance(line, Line2D)) >= published  # type: ignore[arg-type]
    said = {text.get_text() for legend in figure.findobj(Legend) for text in legend.get_texts()}  # type: ignore[attr-defined]
    assert not published or any(PRINTED in text for text in said), said


def require_truetype(figure: Figure) -> None:
    """The PDF holds TrueType letters (Type 42) and no Type 3."""
    pdf = render_figure(figure, "pdf")
    parts = [pdf]
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            parts.append(zlib.decompress(stream.rstrip(b"\r\n")))
        except zlib.error:
            continue
    whole = b"".join(parts)
    assert b"/Type3" not in whole
    assert b"/FontFile2" in whole
