"""Paths over a map of walls and named places: dashes and end marks of their own, each named beside the map.

Paths that coincide are drawn once, under all their names; a path's start is a hollow mark, its end a full one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.grid.cells import Cell
from experiments.figures.curves import joined, look_of
from experiments.figures.names import name_of
from experiments.figures.style import GREY, Look, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPREAD = 0.11  # cells between paths that share a cell
INCHES_A_CELL, LEAST_WIDTH = 0.36, 3.2


@styled
def draw_paths(
    rows: Sequence[str], features: Mapping[str, Sequence[Cell]], paths: Mapping[str, Sequence[Cell]]
) -> Figure:
    """A figure. rows: the map, "#" for walls. features: place's name -> cells. paths: label -> cells, in order."""
    height, width = len(rows), len(rows[0])
    different = _merged(paths)
    size = max(LEAST_WIDTH, INCHES_A_CELL * width), INCHES_A_CELL * height + 0.2 * len(different) + 0.2
    figure = new_figure(*size)
    axes = figure.subplots()
    _draw_map(axes, rows, features)
    for number, (names, cells) in enumerate(different):
        colour, marker, dashes = look_of(number)
        shift = (number - (len(different) - 1) / 2) * SPREAD
        xs, ys = [column + shift for _, column in cells], [row + shift for row, _ in cells]
        axes.plot(xs, ys, color=colour, linestyle=dashes, solid_joinstyle="round")
        axes.plot(xs[:1], ys[:1], "o", color=colour, markersize=5, markerfacecolor="white", zorder=3)
        axes.plot(xs[-1:], ys[-1:], marker, color=colour, markersize=7, zorder=3)
        axes.plot([], [], color=colour, linestyle=dashes, marker=marker, label=joined(names))
    figure.legend(loc="outside lower center", ncols=1)
    return figure


def _merged(paths: Mapping[str, Sequence[Cell]]) -> list[tuple[list[str], Sequence[Cell]]]:
    groups: dict[tuple[Cell, ...], list[str]] = {}
    for name, cells in paths.items():
        groups.setdefault(tuple(cells), []).append(name)
    return [(names, cells) for cells, names in groups.items()]


def _draw_map(axes: Axes, rows: Sequence[str], features: Mapping[str, Sequence[Cell]]) -> None:
    from matplotlib.patches import Rectangle

    for row, line in enumerate(rows):
        for column, glyph in enumerate(line):
            fill = "#D0D0D0" if glyph == "#" else "none"
            axes.add_patch(
                Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=fill, edgecolor="#E4E4E4", linewidth=0.4)
            )
    places: dict[Cell, list[str]] = {}
    for name, cells in features.items():
        for cell in cells:
            places.setdefault(cell, []).append(name_of(name))
    for (row, column), names in places.items():
        box: Look = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        letters: Look = {"ha": "center", "va": "center", "fontsize": "x-small", "color": GREY, "bbox": box}
        axes.text(column, row - 0.36, ",\n".join(names), zorder=2.5, **letters)
    axes.set(xlim=(-0.5, len(rows[0]) - 0.5), ylim=(len(rows) - 0.5, -0.5), aspect="equal", xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)
