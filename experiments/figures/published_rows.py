"""Rows beside published ones: a panel for each agent, a line for each run, the difference with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from experiments.figures.curves import choose_look
from experiments.figures.labels import format_label
from experiments.figures.style import (
    GREY,
    ONE_COLUMN,
    TWO_COLUMNS,
    letter_panels,
    measure_relative_letters,
    new_figure,
    use_figure_style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INCHES_A_ROW = 0.17
PANELS_A_ROW = 3
WIDEST = 1.15  # differences shown; intervals of few seeds are wider and are cut
APART = 0.4  # of a row, between two ways to compute it


class RowOfFigure(NamedTuple):
    """difference: ours less the published mean. low, high: the ends of its interval, or None."""

    name: str
    difference: float
    low: float | None
    high: float | None


@use_figure_style
def draw_published_rows(panels: Mapping[str, Mapping[str, Sequence[RowOfFigure]]]) -> Figure:
    """Draw agent -> way to compute its rows -> rows; the rows of all panels stand in one order."""
    names = list(dict.fromkeys(row.name for ways in panels.values() for rows in ways.values() for row in rows))
    across = min(PANELS_A_ROW, len(panels))
    down = -(-len(panels) // across)
    letters = max(1.0, measure_relative_letters())
    figure = new_figure(
        TWO_COLUMNS if across > 1 else 1.3 * ONE_COLUMN, (INCHES_A_ROW * len(names) * down + 0.6 * down + 0.8) * letters
    )
    every = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat
    ways = list(dict.fromkeys(way for of_agent in panels.values() for way in of_agent))
    for axes, (agent, of_agent) in zip(every, panels.items(), strict=False):
        axes.axvline(0.0, color=GREY, linewidth=0.6)
        axes.set_title(format_label(agent).replace(" + ", "\n+ "))
        for way, rows in of_agent.items():
            number = ways.index(way)
            colour, marker, _ = choose_look(number)
            places = [names.index(row.name) + APART * (number / max(1, len(ways) - 1) - 0.5) for row in rows]
            for place, row in zip(places, rows, strict=True):
                if row.low is not None and row.high is not None:
                    axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.0)
            axes.plot(
                [row.difference for row in rows], places, marker, color=colour, linestyle="", markersize=3, label=way
            )
        axes.set_yticks(range(len(names)), [format_label(name) for name in names], fontsize="small")
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(-WIDEST, WIDEST)
    for axes in list(figure.axes)[len(panels) :]:
        axes.set_visible(False)
    letter_panels(list(figure.axes)[: len(panels)])
    label = "reward per turn, ours less the published (lines: 95 % intervals, cut at the frame)"
    figure.supxlabel(label if across > 1 else label.replace(" (", "\n("))
    first = max(figure.axes[: len(panels)], key=lambda axes: len(axes.get_legend_handles_labels()[1]))
    figure.legend(*first.get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return figure
