"""The picture of a sweep ("Be Considerate", Figure 1(b)): own return, the others' and the total against care.

Learned returns are means over seeds with a band of 95 % (normal approximation of the mean); break points are marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.figures.style import OTHER, OWN, SOFT, TOTAL, new_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Z95 = 1.96
RARE_FAILURE = 3.0


def trade_off_figure(rows: Sequence[dict[str, Any]], newcomers: Sequence[str], break_points: Sequence[float]) -> Figure:
    """A figure from sweep rows."""
    import pandas as pd

    table = pd.DataFrame(list(rows))
    table["others"] = table["total"] - table["own"]  # the newcomers' values, weighed by how likely each is
    shown = ["own", "others", "total"]
    table[shown] = table[shown].where(table[shown].abs() < float("inf"))  # endless policies leave gaps
    figure = new_figure()
    axes = figure.subplots()
    for point in break_points:
        axes.axvline(point, color=SOFT, linewidth=0.8, linestyle=":", zorder=0)
    other_label = newcomers[0] if len(newcomers) == 1 else "others"
    for column, colour, label in (
        ("own", OWN, "acting agent"),
        ("others", OTHER, other_label),
        ("total", TOTAL, "total"),
    ):
        for method, part in table.groupby("method"):
            if method == "exact":
                part = part.sort_values("care")
                axes.step(part["care"], part[column], where="post", color=colour, label=label, linewidth=1.8)
            else:
                _band(axes, part, column, colour, f"{label}, learned")
    axes.set_xlabel("caring coefficient")
    axes.set_ylabel("return")
    axes.set_title(f"{table['scenario'].iloc[0]}, {table['formulation'].iloc[0]}", loc="left", fontsize=10)
    _zoom(axes, table, {"own": "acting agent", "others": other_label, "total": "total"})
    axes.legend(frameon=False, fontsize=8, ncols=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure


def _band(axes: Axes, part: pd.DataFrame, column: str, colour: str, label: str) -> None:
    """Mean over seeds and its band."""
    by_care = part.groupby("care")[column]
    mean = by_care.mean()
    error = Z95 * by_care.std(ddof=1).fillna(0.0) / by_care.count() ** 0.5
    axes.step(mean.index, mean, where="post", color=colour, linestyle="--", linewidth=1.0, label=label)
    axes.fill_between(mean.index, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0, step="post")


def _zoom(axes: Axes, table: pd.DataFrame, labels: Mapping[str, str]) -> None:
    """Keep the bulk of the returns readable where a few disasters lie far below; say whose lie there and how far."""
    values = table[list(labels)].to_numpy().ravel()
    values = values[values == values]
    if not len(values):
        return
    low, high = sorted(values)[len(values) // 20], max(values)
    if min(values) < low - RARE_FAILURE * max(1.0, high - low):
        bottom = low - 0.15 * (high - low)
        axes.set_ylim(bottom, high + 0.15 * (high - low))
        lowest = {label: table[column].min() for column, label in labels.items()}
        cut = ", ".join(f"{label} {value:g}" for label, value in lowest.items() if value < bottom)
        axes.annotate(
            f"below the axis: {cut}", (1, 0), (0, 4), "axes fraction", "offset points", ha="right", fontsize=8
        )
