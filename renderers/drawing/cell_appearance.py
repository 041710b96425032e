"""From a scene to the appearance of every cell: floor and overlays first (they rarely change), then marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from engine.plain_values import write_number
from engine.scene import Arrows, Heat, Overlay, Path, Scene
from renderers.drawing.tiles import CellAppearance, PathSegment, Symbol

RAMP_STEPS = 64
_SIDES = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}
_BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
CellPosition = tuple[int, int]


def find_base_appearances(floor: tuple[str, ...], overlays: Sequence[Overlay]) -> dict[CellPosition, CellAppearance]:
    """The appearance of every cell without marks; of several heat maps the last one is drawn."""
    appearances = {
        (r, c): CellAppearance(wall=glyph == "#") for r, row in enumerate(floor) for c, glyph in enumerate(row)
    }
    for overlay in overlays:
        if isinstance(overlay, Heat):
            _add_heat(appearances, overlay)
        elif isinstance(overlay, Arrows):
            for row, column, action in overlay.cells:
                if (row, column) in appearances:
                    appearances[row, column] = appearances[row, column]._replace(arrow=action)
    paths = [overlay for overlay in overlays if isinstance(overlay, Path)]
    for i, path in enumerate(paths):
        offset = 0.0 if len(paths) == 1 else (i - (len(paths) - 1) / 2) * min(0.13, 0.6 / len(paths))
        _add_path(appearances, path, offset)
    return appearances


def find_symbols(scene: Scene) -> dict[CellPosition, tuple[Symbol, ...]]:
    """The symbols of the marks on each cell, in the scene's order."""
    symbols_by_cell: dict[CellPosition, tuple[Symbol, ...]] = {}
    for row, column, glyph, _, role, crossed in scene.marks:
        symbols_by_cell[row, column] = (*symbols_by_cell.get((row, column), ()), Symbol(glyph, role, crossed))
    return symbols_by_cell


def find_value_range(heat: Heat) -> tuple[float, float]:
    """The lowest and highest finite number of a heat map."""
    numbers = [number for _, _, number in select_finite_cells(heat)]
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


def select_finite_cells(heat: Heat) -> list[tuple[int, int, float]]:
    """The cells of a heat map whose numbers can be shown; the others are left without colour."""
    return [cell for cell in heat.cells if math.isfinite(cell[2])]


def compute_relative_position(number: float, low: float, high: float) -> float:
    """Where a number lies between two others, in [0, 1]; the middle where they are equal."""
    return (number - low) / (high - low) if high > low else 0.5


def trim_number(number: float) -> str:
    """A number in at most about five characters."""
    if number == int(number) and abs(number) < 1e5:
        return f"{int(number)}"
    digits = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    return f"{number:.{digits}f}" if 0.005 <= abs(number) < 1e5 else write_number(number, 1)


def drop_repeats(path: Path) -> list[CellPosition]:
    """The cells of a path, one for each time it enters a cell."""
    return [cell for i, cell in enumerate(path.cells) if i == 0 or cell != path.cells[i - 1]]


def find_neighbour_side(cell: CellPosition, neighbour: CellPosition) -> str:
    """On which side of a cell another one lies: "up", "down", "left", "right", or "" where it is not a neighbour."""
    return _SIDES.get((neighbour[0] - cell[0], neighbour[1] - cell[1]), "")


def _add_heat(appearances: dict[CellPosition, CellAppearance], heat: Heat) -> None:
    low, high = find_value_range(heat)
    for row, column, number in select_finite_cells(heat):
        if (row, column) in appearances:
            step = round(compute_relative_position(number, low, high) * RAMP_STEPS) / RAMP_STEPS
            appearances[row, column] = appearances[row, column]._replace(heat=step, number=trim_number(number))


def _add_path(appearances: dict[CellPosition, CellAppearance], path: Path, offset: float) -> None:
    visited = drop_repeats(path)
    sides: dict[CellPosition, set[str]] = {cell: set() for cell in visited}
    last = ""
    for cell, following in pairwise(visited):
        last = find_neighbour_side(cell, following)
        if last:
            sides[cell].add(last)
            sides[following].add(_BACK[last])
    for cell, crossed_sides in sides.items():
        if cell in appearances:
            ends = last if cell == visited[-1] else "first" if cell == visited[0] else ""
            segment = PathSegment(path.role, tuple(sorted(crossed_sides)), offset, ends)
            appearances[cell] = appearances[cell]._replace(segments=(*appearances[cell].segments, segment))
