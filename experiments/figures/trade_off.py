"""The picture of a sweep ("Be Considerate", Figure 1(b)): own return, the others' and the total against care.

Lines are exact. What was learned lies upon them as hollow marks, means over seeds, with a bar from the lowest to the
highest seed where there are several; of several learners each has marks of its own form. Break points are marked; where
a few returns lie far below the others, the axis is cut and says whose.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from experiments.figures.curves import Curve, NamedEnd, mark_break_points, name_ends, place_steps
from experiments.figures.labels import format_label, format_number
from experiments.figures.style import GREY, OTHER, OWN, TOTAL, Look, mark_printed, new_figure, use_figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

RARE_FAILURE = 3.0  # how far a rare failure lies below the other returns, in their range
RARE = 1 / 3  # the largest share of returns that are rare
LOOKS = {"own": (OWN, "-", "o"), "others": (OTHER, (0, (5, 1.5)), "^"), "total": (TOTAL, (0, (1.5, 1)), "s")}
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
MOST_MARKS = 36
LONGEST_LINE = 70  # characters of a legend
RANGE_WIDTH = 3.2


@use_figure_style
def draw_trade_off(
    rows: Sequence[dict[str, Any]],
    newcomers: Sequence[str],
    break_points: Sequence[float],
    logarithmic_from: float | None = None,
    title: str = "",
    printed: Sequence[tuple[float, float]] = (),
) -> Figure:
    """A figure from sweep rows. logarithmic_from: the coefficient above which the axis is logarithmic.

    title: in place of the scenario's and the formulation's names. printed: (care, return) that a paper prints.
    """
    table = [_returns(row) for row in rows]
    others = format_label(newcomers[0]) if len(newcomers) == 1 else "others"
    labels = {"own": "acting agent", "others": others, "total": "total"}
    figure = new_figure()
    axes = figure.subplots()
    axes.set_xlabel("caring coefficient")
    if logarithmic_from:
        axes.set_xscale("symlog", linthresh=logarithmic_from, linscale=0.5)
        axes.set_xlabel(f"caring coefficient (logarithmic above {logarithmic_from:g})")
    axes.set_ylabel("return (sum of rewards)")
    axes.set_title(title or f"{format_label(rows[0]['scenario'])}, {format_label(rows[0]['formulation'])}")
    ends = [_draw_column(axes, table, column, labels[column], break_points) for column in LOOKS]
    _zoom(axes, table, labels)
    name_ends(axes, [end for end in ends if end])
    mark_break_points(axes, break_points)
    _explain(figure, table, [mark_printed(axes, printed)] if printed else [])
    return figure


def _returns(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with what is drawn: others, the newcomers' values weighed by how likely each is; nan for endless ones."""
    shown = {"own": row["own"], "others": row["total"] - row["own"], "total": row["total"]}
    return {**row, **{column: value if math.isfinite(value) else math.nan for column, value in shown.items()}}


def _draw_column(
    axes: Axes, table: Sequence[Mapping[str, Any]], column: str, label: str, break_points: Sequence[float]
) -> NamedEnd | None:
    """Return the exact line and the learned marks of a column; the end to name, None for a column without ends."""
    colour, dashes, own_marker = LOOKS[column]
    marker_of = _choose_markers(table)
    end = None
    for method in _methods(table):
        marker = marker_of.get(method, own_marker)
        part = sorted((row for row in table if row["method"] == method), key=lambda row: row["care"])
        if method == "exact":
            curve = place_steps(Curve([row["care"] for row in part], [row[column] for row in part]), break_points)
            axes.plot(*curve, linestyle=dashes, color=colour, drawstyle="steps-post")
        else:
            groups = itertools.groupby(part, key=lambda row: row["care"])
            by_care = {care: _finite(row[column] for row in same) or [math.nan] for care, same in groups}
            cares = list(by_care)
            every = max(1, len(cares) // MOST_MARKS)
            marks: Look = {"marker": marker, "markevery": every, "markerfacecolor": "none", "linestyle": "none"}
            axes.plot(cares, list(map(fmean, by_care.values())), color=colour, **marks)
            low, high = list(map(min, by_care.values())), list(map(max, by_care.values()))
            axes.vlines(cares, low, high, color=colour, alpha=0.35, linewidth=RANGE_WIDTH)
        known = [row for row in part if math.isfinite(row[column])]
        if known and end is None:
            end = NamedEnd(label, known[-1]["care"], known[-1][column], colour, own_marker)
    return end


def _methods(table: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["method"] for row in table))


def _choose_markers(table: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Learner -> the form of its marks, where there are several; {} where the marks tell the columns apart."""
    learned = [method for method in _methods(table) if method != "exact"]
    return dict(zip(learned, itertools.cycle(MARKERS), strict=False)) if len(learned) > 1 else {}


def _finite(values: Iterable[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _explain(figure: Figure, table: Sequence[Mapping[str, Any]], printed: Sequence[Line2D]) -> None:
    """What lines and marks are, where something was learned or printed."""
    learned = [name for name in _methods(table) if name != "exact"]
    handles = [*(_handles(table, learned) if learned else ()), *printed]
    if handles:
        fits = sum(len(str(handle.get_label())) for handle in handles) <= LONGEST_LINE
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles) if fits else 1)


def _handles(table: Sequence[Mapping[str, Any]], learned: Sequence[str]) -> list[Line2D]:
    """Return what stands for exact lines, if there are any, and for learned marks."""
    from matplotlib.lines import Line2D

    seeds = len({row.get("seed") for row in table if row["method"] != "exact"})
    spread = "" if seeds < 2 else f", mean and range of {seeds} seeds"
    handles = []
    if len(learned) < len(_methods(table)):
        handles.append(Line2D([], [], color=GREY, label="exact"))
    marker_of = _choose_markers(table)
    for method in learned:
        look: Look = {"marker": marker_of.get(method, "o"), "markerfacecolor": "none", "linestyle": "none"}
        handles.append(Line2D([], [], color=GREY, label=f"{format_label(method)}{spread}", **look))
    return handles


def _zoom(axes: Axes, table: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> None:
    """Keep the bulk of the returns readable where a few disasters lie far below; say whose lie there and how far."""
    values = sorted(_finite(row[column] for row in table for column in labels))
    if not values:
        return
    low, high = _bulk(values)
    rare = all(sum(row[column] < low for row in table) <= RARE * len(table) for column in labels)
    if rare and values[0] < low - RARE_FAILURE * max(1.0, high - low):
        bottom = low - 0.2 * (high - low)
        axes.set_ylim(bottom, high + 0.15 * (high - low))
        lowest = {label: min(_finite(row[column] for row in table), default=low) for column, label in labels.items()}
        cut = ", ".join(f"{label} {format_number(value)}" for label, value in lowest.items() if value < bottom)
        plate: Look = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        look: Look = {"ha": "right", "bbox": plate}
        axes.annotate(f"below the axis: {cut}", (1, 0), (-2, 4), "axes fraction", "offset points", **look)


def _bulk(values: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and highest of the sorted values above the widest gap, where that parts few from many."""
    gaps = [(above - below, place + 1) for place, (below, above) in enumerate(itertools.pairwise(values))]
    widest, first = max(gaps, default=(0.0, 0))
    few = first <= RARE * len(values)
    return values[first if few and widest > 0 else len(values) // 20], values[-1]
