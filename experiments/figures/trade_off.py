"""The picture of a sweep ("Be Considerate", Figure 1(b)): own return, the others' and the total against care.

Lines are exact. What was learned lies upon them as hollow marks, means over seeds, with a band from the lowest to the
highest seed where there are several. Break points are marked; where a few returns lie far below the others, the axis is
cut and says whose.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.figures.curves import Curve, NamedEnd, mark_break_points, name_ends, steps_at
from experiments.figures.names import name_of
from experiments.figures.style import GREY, OTHER, OWN, TOTAL, Look, new_figure, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RARE_FAILURE, RARE = 3.0, 1 / 3  # how far below, in heights of the others, and of how many returns
LOOKS = {"own": (OWN, "-", "o"), "others": (OTHER, (0, (5, 1.5)), "^"), "total": (TOTAL, (0, (1.5, 1)), "s")}
MOST_MARKS = 36


@styled
def trade_off_figure(
    rows: Sequence[dict[str, Any]],
    newcomers: Sequence[str],
    break_points: Sequence[float],
    logarithmic_from: float | None = None,
    title: str = "",
) -> Figure:
    """A figure from sweep rows. logarithmic_from: the coefficient above which the axis is logarithmic.

    title: in place of the scenario's and the formulation's names.
    """
    import pandas as pd

    table = pd.DataFrame(list(rows))
    table["others"] = table["total"] - table["own"]  # the newcomers' values, weighed by how likely each is
    shown = list(LOOKS)
    table[shown] = table[shown].where(table[shown].abs() < float("inf"))  # endless policies leave gaps
    labels = {"own": "acting agent", "others": newcomers[0] if len(newcomers) == 1 else "others", "total": "total"}
    figure = new_figure()
    axes = figure.subplots()
    axes.set_xlabel("caring coefficient")
    if logarithmic_from:
        axes.set_xscale("symlog", linthresh=logarithmic_from, linscale=0.5)
        axes.set_xlabel(f"caring coefficient (logarithmic above {logarithmic_from:g})")
    axes.set_ylabel("return (sum of rewards)")
    axes.set_title(title or f"{name_of(table['scenario'].iloc[0])}, {name_of(table['formulation'].iloc[0])}")
    ends = [_draw_column(axes, table, column, labels[column], break_points) for column in shown]
    _zoom(axes, table, labels)
    name_ends(axes, [end for end in ends if end])
    mark_break_points(axes, break_points)
    _explain(figure, table)
    return figure


def _draw_column(
    axes: Axes, table: pd.DataFrame, column: str, label: str, break_points: Sequence[float]
) -> NamedEnd | None:
    """The exact line and the learned marks of a column; the end to name, None where all of it is endless."""
    colour, dashes, marker = LOOKS[column]
    end = None
    for method, part in table.groupby("method", sort=False):
        part = part.sort_values("care", kind="stable")
        by_care = part.groupby("care")[column]
        mean = by_care.mean()
        if method == "exact":
            curve = steps_at(Curve(list(part["care"]), list(part[column])), break_points)
            axes.plot(*curve, linestyle=dashes, color=colour, drawstyle="steps-post")
        else:
            every = max(1, len(mean) // MOST_MARKS)
            marks: Look = {"marker": marker, "markevery": every, "markerfacecolor": "none", "linestyle": "none"}
            axes.plot(mean.index, mean, color=colour, **marks)
            low, high = by_care.min(), by_care.max()
            axes.fill_between(mean.index, low, high, color=colour, alpha=0.2, linewidth=0, step="post")
        known = part.dropna(subset=[column])
        if len(known) and end is None:
            end = NamedEnd(label, float(known["care"].iloc[-1]), float(known[column].iloc[-1]), colour, marker)
    return end


def _explain(figure: Figure, table: pd.DataFrame) -> None:
    """What lines and marks are, where something was learned."""
    from matplotlib.lines import Line2D

    learned = [name for name in table["method"].unique() if name != "exact"]
    if not learned:
        return
    seeds = table.loc[table["method"] != "exact", "seed"].nunique() if "seed" in table else 1
    spread = "" if seeds < 2 else f", mean and range of {seeds} seeds"
    handles = []
    if len(learned) < table["method"].nunique():
        handles.append(Line2D([], [], color=GREY, label="exact"))
    words = ", ".join(map(name_of, learned))
    look: Look = {"marker": "o", "markerfacecolor": "none", "linestyle": "none"}
    handles.append(Line2D([], [], color=GREY, label=f"{words}{spread}", **look))
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def _zoom(axes: Axes, table: pd.DataFrame, labels: Mapping[str, str]) -> None:
    """Keep the bulk of the returns readable where a few disasters lie far below; say whose lie there and how far."""
    values = table[list(labels)].to_numpy().ravel()
    values = values[values == values]
    if not len(values):
        return
    low, high = _bulk(sorted(values))
    rare = all((table[column] < low).mean() <= RARE for column in labels)
    if rare and min(values) < low - RARE_FAILURE * max(1.0, high - low):
        bottom = low - 0.2 * (high - low)
        axes.set_ylim(bottom, high + 0.15 * (high - low))
        lowest = {label: table[column].min() for column, label in labels.items()}
        cut = ", ".join(f"{label} {value:g}" for label, value in lowest.items() if value < bottom)
        axes.annotate(f"below the axis: {cut}", (1, 0), (-2, 4), "axes fraction", "offset points", ha="right")


def _bulk(values: Sequence[float]) -> tuple[float, float]:
    """The lowest and highest of the sorted values above the widest gap, where that parts few from many."""
    gaps = [(above - below, place + 1) for place, (below, above) in enumerate(itertools.pairwise(values))]
    widest, first = max(gaps, default=(0.0, 0))
    few = first <= RARE * len(values)
    return values[first if few and widest > 0 else len(values) // 20], values[-1]
