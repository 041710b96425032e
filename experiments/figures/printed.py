"""Numbers that a paper prints, over ours: hollow diamonds, the same in every figure, said in the legend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from experiments.figures.style import GREY, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

PRINTED, PRINTED_MARKS = "printed in the paper", "printed"
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
