"""Paths over a map of walls and named places: dashes and end marks of their own, each named beside its end.

Paths that coincide are drawn once, under all their names; a path's start is a hollow mark, its end a full one, and
marks that share a cell stand side by side. The map is a world's picture, or walls and tinted cells. Names of cells are
written where no path passes; a path without a free place beside its end is named below the map.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.grid import Cell
from experiments.figures.boards import show_picture
from experiments.figures.curves import CurveLook, choose_look, join_names
from experiments.figures.labels import format_label
from experiments.figures.style import (
    GREY,
    Look,
    letter_panels,
    measure_relative_letters,
    new_figure,
    use_figure_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from renderers.drawing.shapes import Image

CellsByName = Mapping[str, Sequence[Cell]]
SPREAD, WIDEST_SPREAD = 0.27, 0.62  # cells between two paths that share a cell, and between the outermost ones
LETTERS_A_LINE = 16  # of a path's name
NAME_WIDTH, NAME_HEIGHT = 0.155, 0.34  # of a letter and a line of a path's name, in cells, on paper
INCHES_A_CELL = 0.36
LEAST_WIDTH = 3.2
PANEL_BELOW = 1.9
LETTER_WIDTH, LINE_HEIGHT = 0.13, 0.29  # of the names of cells, in cells, on paper
HALF_MARK, HALF_LINE, HALF_THING = 0.17, 0.06, 0.36  # cells kept free around ends and lines of paths, and things
WALL, GRID, TINT, THING = "#D0D0D0", "#E4E4E4", "#F1E7D0", "#E3C98F"


class _Box(NamedTuple):
    """A rectangle, in columns and rows."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@use_figure_style
def draw_paths(
    rows: Sequence[str],
    features: CellsByName,
    paths: CellsByName,
    things: CellsByName | None = None,
    below: Callable[[Axes], None] | None = None,
    floor: Image | None = None,
) -> Figure:
    """A figure. rows: the map, "#" for walls. features: place's name -> cells. paths: label -> cells, in order.

    things: what has been put on the map, name -> cells; drawn as hatched cells. below: draws a panel under the map,
    such as what each path is worth. floor: the map's picture, cell by cell, in place of walls and tinted cells.
    """
    from matplotlib import rcParams

    height, width = len(rows), len(rows[0])
    different = _merge_paths(paths)
    size = max(LEAST_WIDTH, INCHES_A_CELL * width), INCHES_A_CELL * height + 0.2
    heights = (size[1], PANEL_BELOW) if below else (size[1],)
    figure = new_figure(size[0], sum(heights))
    upper, *lower = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    axes = upper.subplots()
    if below:
        below(panel := lower[0].subplots())
        letter_panels([axes, panel])
    things = things or {}
    _draw_map(axes, rows, features, things, floor)
    spread = min(SPREAD, WIDEST_SPREAD / max(1, len(different) - 1))
    ends: list[_PathEnd] = []
    taken: list[_Box] = []
    for number, (names, cells) in enumerate(different):
        look = choose_look(number)
        shift = (number - (len(different) - 1) / 2) * spread
        points = [(column + shift, row + shift) for row, column in cells]
        xs, ys = zip(*points, strict=True)
        for width_of_line, colour in (
            (2.2, "white"),
            (1.0, look.colour),
        ):  # a white edge, so that it shows on any floor
            thickness = width_of_line * rcParams["lines.linewidth"]
            axes.plot(
                xs,
                ys,
                color=colour,
                linestyle=look.dashes if colour != "white" else "-",
                linewidth=thickness,
                solid_joinstyle="round",
                zorder=2.2,
            )
        axes.plot(xs[:1], ys[:1], "o", color=look.colour, markersize=5, markerfacecolor="white", zorder=3)
        axes.plot(
            xs[-1:],
            ys[-1:],
            look.marker,
            color=look.colour,
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=0.6,
            zorder=3,
        )
        taken += [_surround((point, point), HALF_MARK) for point in (points[0], points[-1])]
        taken += [_surround(stretch, HALF_LINE) for stretch in itertools.pairwise(points)]
        ends.append(_PathEnd(join_names(names), points[-1], look))
    names_of_cells = _collect_cell_names(features, things)
    if floor is not None:  # something is drawn in every named cell
        taken += [_surround(((column, row), (column, row)), HALF_THING) for row, column in names_of_cells]
    _write_names(axes, rows, names_of_cells, taken)
    left_over = [end for end in ends if not _name_path(axes, rows, end, taken)]
    for end in left_over:
        axes.plot([], [], color=end.look.colour, linestyle=end.look.dashes, marker=end.look.marker, label=end.name)
    if left_over:
        upper.legend(loc="outside lower center", ncols=1, handlelength=4.5)
    return figure


class _PathEnd(NamedTuple):
    """A path's names as one, where it ends, and its look."""

    name: str
    point: tuple[float, float]
    look: CurveLook


def _name_path(axes: Axes, rows: Sequence[str], end: _PathEnd, taken: list[_Box]) -> bool:
    """Write a path's name at the free place nearest to its end; return whether there is one."""
    scale = measure_relative_letters()
    lines = textwrap.wrap(end.name.replace("Eq. ", "Eq.\u00a0"), LETTERS_A_LINE)
    wide, high = NAME_WIDTH * scale * max(map(len, lines)), NAME_HEIGHT * scale * len(lines)
    x, y = end.point
    for away in (0.0, 0.25, 0.5, 0.8, 1.2, 1.6):
        aside, across = HALF_MARK + 0.08 + away + wide / 2, HALF_MARK + 0.05 + away + high / 2
        for right, down in (
            (aside, 0.0),
            (-aside, 0.0),
            (0.0, -across),
            (0.0, across),
            (aside, -across),
            (-aside, -across),
            (aside, across),
            (-aside, across),
        ):
            box = _Box(x + right - wide / 2, y + down - high / 2, x + right + wide / 2, y + down + high / 2)
            if _is_within(box, rows) and not any(box.meets(other) for other in taken):
                taken.append(box)
                plate: Look = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.6}
                look: Look = {"ha": "center", "va": "center", "color": end.look.colour, "weight": "bold", "bbox": plate}
                axes.text(x + right, y + down, "\n".join(lines), fontsize="small", zorder=3.5, **look)
                return True
    return False


def _merge_paths(paths: CellsByName) -> list[tuple[list[str], Sequence[Cell]]]:
    groups: dict[tuple[Cell, ...], list[str]] = {}
    for name, cells in paths.items():
        groups.setdefault(tuple(cells), []).append(name)
    return [(names, cells) for cells, names in groups.items()]


def _draw_map(axes: Axes, rows: Sequence[str], features: CellsByName, things: CellsByName, floor: Image | None) -> None:
    from matplotlib.patches import Rectangle

    tinted, covered = ({cell for cells in named.values() for cell in cells} for named in (features, things))
    for row, column in itertools.product(range(len(rows)), range(len(rows[0]))):
        look: Look = {"facecolor": WALL if rows[row][column] == "#" else "white", "edgecolor": GRID, "linewidth": 0.4}
        if floor is None:
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, zorder=0.5, **look))
        if floor is None and (row, column) in tinted:
            axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, zorder=0.6, color=TINT, linewidth=0))
        if (row, column) in covered:
            look = {"facecolor": THING, "edgecolor": GREY, "linewidth": 0.8, "hatch": "xx"}
            axes.add_patch(Rectangle((column - 0.42, row - 0.42), 0.84, 0.84, zorder=1.7, **look))
    if floor is not None:
        show_picture(axes, floor, (-0.5, len(rows[0]) - 0.5, len(rows) - 0.5, -0.5))
    axes.set(xlim=(-0.5, len(rows[0]) - 0.5), ylim=(len(rows) - 0.5, -0.5), aspect="equal", xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)


def _collect_cell_names(*groups: CellsByName) -> dict[Cell, list[str]]:
    names: dict[Cell, list[str]] = {}
    for group in groups:
        for name, cells in group.items():
            for cell in cells:
                names.setdefault(cell, []).append(format_label(name))
    return names


def _write_names(axes: Axes, rows: Sequence[str], names: Mapping[Cell, Sequence[str]], taken: list[_Box]) -> None:
    """Each cell's names at the first place that nothing has taken, else at the cell's top upon what is there."""
    scale = measure_relative_letters()
    for cell, words in names.items():
        lines = [f"{word}," for word in words[:-1]] + [words[-1]]
        wide, high = LETTER_WIDTH * scale * max(map(len, lines)), LINE_HEIGHT * scale * len(lines)
        places = list(_list_places(rows, cell, wide, high))
        free = next((box for box in places if not any(box.meets(other) for other in taken)), None)
        box = free or places[0]
        taken.append(box)
        plate: Look = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.3}
        letters: Look = {"ha": "center", "va": "center", "fontsize": "x-small", "color": GREY}
        upon: Look = {"bbox": plate} if free is None or not _is_on_floor(rows, *_find_cell(free)) else {}
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        axes.text(x, y, "\n".join(lines), zorder=2.5, **letters, **upon)


def _list_places(rows: Sequence[str], cell: Cell, wide: float, high: float) -> Iterator[_Box]:
    """Where the names of a cell may stand: at its top, at its bottom, beside it; walls before floor."""
    row, column = cell
    aside, across = 0.55 + wide / 2, 0.55 + high / 2
    beside = [(0, -1, -aside, 0.0), (0, 1, aside, 0.0), (-1, 0, 0.0, -across), (1, 0, 0.0, across)]
    beside.sort(key=lambda place: _is_on_floor(rows, row + place[0], column + place[1]))
    inside = 0.48 - high / 2
    for right, down in [(0.0, -inside), (0.0, inside), *((right, down) for _, _, right, down in beside)]:
        box = _Box(column + right - wide / 2, row + down - high / 2, column + right + wide / 2, row + down + high / 2)
        if _is_within(box, rows):
            yield box
    yield _Box(column - wide / 2, row - inside - high / 2, column + wide / 2, row - inside + high / 2)


def _find_cell(box: _Box) -> Cell:
    """Return the cell in which a box has its middle."""
    return Cell(round((box.top + box.bottom) / 2), round((box.left + box.right) / 2))


def _is_within(box: _Box, rows: Sequence[str]) -> bool:
    """Return whether a box lies on the map."""
    return box.left >= -0.5 and box.top >= -0.5 and box.right <= len(rows[0]) - 0.5 and box.bottom <= len(rows) - 0.5


def _is_on_floor(rows: Sequence[str], row: int, column: int) -> bool:
    return 0 <= row < len(rows) and 0 <= column < len(rows[0]) and rows[row][column] != "#"


def _surround(stretch: tuple[tuple[float, float], tuple[float, float]], margin: float) -> _Box:
    (x, y), (to_x, to_y) = stretch
    return _Box(min(x, to_x) - margin, min(y, to_y) - margin, max(x, to_x) + margin, max(y, to_y) + margin)
