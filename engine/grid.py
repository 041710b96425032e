"""Grid maps drawn as text: rows of glyphs plus a legend, checked when parsed, with every cell numbered.

A cell is (row, column), row 0 at the top. "#" is wall, " " and "." are plain floor; every other glyph needs the
legend. Moves are UP, DOWN, LEFT, RIGHT; a move into a wall, off the map or into a blocked cell stays put. The cells
of maps with millions of them are kept as arrays (`FloorCells`, `CellNumbers`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from engine.errors import DuplicateFeature, MapError, MissingFeature, RaggedRows, UnknownGlyph, UnreachableFeature
from engine.files import read_text

__all__ = ["DOWN", "LEFT", "MOVES", "RIGHT", "STEPS", "UP", "Cell", "CellNumbers", "GridMap"]


class Cell(NamedTuple):
    """A place on a map; row 0 is the top row."""

    row: int
    column: int


class FloorCells(Sequence[Cell]):
    """Cells in reading order, kept as their positions in the drawing."""

    def __init__(self, position: NDArray[np.int64], width: int) -> None:
        """position: int64[cells], row * width + column, ascending."""
        self._position, self._width = position, width

    def __len__(self) -> int:
        return len(self._position)

    @overload
    def __getitem__(self, number: int) -> Cell: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Cell, ...]: ...
    def __getitem__(self, number: int | slice) -> Cell | tuple[Cell, ...]:
        if isinstance(number, slice):
            return tuple(self._cell(position) for position in self._position[number])
        return self._cell(self._position[number])

    def _cell(self, position: Any) -> Cell:
        return Cell(*divmod(int(position), self._width))


class CellNumbers(Mapping[Cell, int]):
    """Cells that have a number of some kind, kept as an array.

    by_cell: int32[rows, columns], -1 for cells that have none.
    """

    def __init__(self, by_cell: NDArray[np.int32]) -> None:
        self.by_cell = by_cell

    def __getitem__(self, cell: Cell) -> int:
        row, column = cell
        inside = 0 <= row < self.by_cell.shape[0] and 0 <= column < self.by_cell.shape[1]
        if not inside or self.by_cell[row, column] < 0:
            raise KeyError(cell)
        return int(self.by_cell[row, column])

    def __iter__(self) -> Iterator[Cell]:
        return (Cell(int(row), int(column)) for row, column in np.argwhere(self.by_cell >= 0))

    def __len__(self) -> int:
        return int((self.by_cell >= 0).sum())


UP, DOWN, LEFT, RIGHT = range(4)
MOVES = ("up", "down", "left", "right")
MOST_CELLS = 4_000_000
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
WALL = "#"
FLOOR = " ."
DRAWN = re.compile(f"[^{WALL}{FLOOR}]")


@dataclass(frozen=True)
class GridMap:
    """A parsed map: its rows, the features on it and where it came from.

    Parameters
    ----------
    rows : tuple of str
        The drawing, all rows equally long.
    features : mapping
        Name -> its cells in reading order.
    source : str
        What messages call the map.

    Examples
    --------
    >>> grid = GridMap.parse("####\\n#A.#\\n####", {"A": "start"})
    >>> grid.only("start")
    Cell(row=1, column=1)
    >>> grid.move(grid.only("start"), RIGHT)
    Cell(row=1, column=2)
    """

    rows: tuple[str, ...]
    features: Mapping[str, tuple[Cell, ...]]
    source: str = "map"

    @classmethod
    def parse(
        cls,
        art: str,
        legend: Mapping[str, str | tuple[str, ...]],
        *,
        once: Iterable[str] = (),
        several: Iterable[str] = (),
        source: str = "map",
    ) -> GridMap:
        """Parse a drawing.

        Parameters
        ----------
        art : str
            Rows of glyphs, one per line.
        legend : mapping
            Glyph -> name of the feature, or several names.
        once, several : names
            Features that must be drawn exactly once, or at least once.
        source : str
            What messages call the map.

        Returns
        -------
        GridMap

        Raises
        ------
        RaggedRows, UnknownGlyph, MissingFeature, DuplicateFeature
            With the line and a caret.
        """
        rows = _split_rows(art, source)
        if len(rows) * max(map(len, rows), default=0) > MOST_CELLS:
            problem = f"a map of {len(rows)} rows and {len(rows[0])} columns"
            raise MapError(problem, place=source, remedy=f"draw at most {MOST_CELLS:,} cells")
        features: dict[str, list[Cell]] = {}
        for r, line in enumerate(rows):
            for found in DRAWN.finditer(line):
                c, glyph = found.start(), found.group()
                if glyph not in legend:
                    raise UnknownGlyph(
                        f"unknown glyph '{glyph}'",
                        place=f"{source}, row {r}, column {c}",
                        remedy="use "
                        + ", ".join(f"'{known}' {_quote_names(legend[known])}" for known in legend)
                        + " or '#', ' ', '.'",
                        line=line,
                        column=c,
                    )
                for name in _make_tuple(legend[glyph]):
                    features.setdefault(name, []).append(Cell(r, c))
        grid = cls(rows, {name: tuple(cells) for name, cells in features.items()}, source)
        glyphs = {name: glyph for glyph, names in legend.items() for name in _make_tuple(names)}
        for name in [*once, *several]:
            if name not in grid.features:
                raise MissingFeature(
                    f"no '{name}' on the map", place=source, remedy=f"draw it as '{glyphs.get(name, name)}'"
                )
        for name in once:
            grid.only(name)
        return grid

    @classmethod
    def parse_file(
        cls,
        path: str | Path,
        legend: Mapping[str, str | tuple[str, ...]],
        *,
        once: Iterable[str] = (),
        several: Iterable[str] = (),
    ) -> GridMap:
        """Parse the drawing in a text file (UTF-8).

        Parameters
        ----------
        path : str or Path
        legend, once, several
            As in `parse`.

        Returns
        -------
        GridMap

        Raises
        ------
        BadFile
            Where it cannot be read; otherwise as `parse`.
        """
        art = read_text(path, what="the map", remedy="name a drawing")
        return cls.parse(art, legend, once=once, several=several, source=str(path))

    def cells(self, name: str) -> tuple[Cell, ...]:
        """Return all cells of a feature in reading order (empty where it is not drawn)."""
        return self.features.get(name, ())

    def only(self, name: str) -> Cell:
        """Return the one cell of a feature; MissingFeature or DuplicateFeature otherwise."""
        cells = self.cells(name)
        if not cells:
            raise MissingFeature(f"no '{name}' on the map", place=self.source, remedy="draw it once")
        if len(cells) > 1:
            raise self.error_at(cells[1], f"'{name}' is drawn {len(cells)} times", "draw it once", DuplicateFeature)
        return cells[0]

    def error_at(self, cell: Cell, problem: str, remedy: str, kind: type[MapError] = MapError) -> MapError:
        """Return an error that names a cell and shows its row, with a caret under it."""
        place = f"{self.source}, row {cell.row}, column {cell.column}"
        return kind(problem, place=place, remedy=remedy, line=self.rows[cell.row], column=cell.column)

    @property
    def walls(self) -> tuple[str, ...]:
        """The rows with nothing but walls on them."""
        return tuple("".join("#" if glyph == "#" else " " for glyph in line) for line in self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), len(self.rows[0])

    def is_wall(self, cell: Cell) -> bool:
        """Return whether a cell is wall or off the map."""
        height, width = self.shape
        inside = 0 <= cell.row < height and 0 <= cell.column < width
        return not inside or self.rows[cell.row][cell.column] == WALL

    def move(self, cell: Cell, action: int, blocked: Collection[Cell] = ()) -> Cell:
        """Return the cell that a move (UP, DOWN, LEFT, RIGHT) leads to: its own at walls, edges and blocked cells."""
        down, right = STEPS[action]
        target = Cell(cell.row + down, cell.column + right)
        return cell if self.is_wall(target) or target in blocked else target

    @cached_property
    def is_floor(self) -> NDArray[np.bool_]:
        """bool[rows, columns]: the cells that are not wall."""
        glyphs = np.frombuffer("".join(self.rows).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        floor: NDArray[np.bool_] = (glyphs != ord(WALL)).reshape(self.shape)
        return floor

    @cached_property
    def floor(self) -> Sequence[Cell]:
        """Every cell that is not wall, in reading order; a cell's position here is its number."""
        return FloorCells(np.flatnonzero(self.is_floor), self.shape[1])

    @cached_property
    def number(self) -> Mapping[Cell, int]:
        """Floor cell -> its number."""
        number = np.full(self.shape, -1, dtype=np.int32)
        number[self.is_floor] = np.arange(len(self.floor))
        return CellNumbers(number)

    @cached_property
    def moves(self) -> NDArray[np.int32]:
        """int32[cells, 4]: the number of the floor cell that each move leads to."""
        number = np.full((self.shape[0] + 2, self.shape[1] + 2), -1, dtype=np.int32)
        inner = number[1:-1, 1:-1]
        inner[self.is_floor] = np.arange(len(self.floor))
        table = np.empty((len(self.floor), len(STEPS)), dtype=np.int32)
        for action, (down, right) in enumerate(STEPS):
            target = number[1 + down : 1 + down + self.shape[0], 1 + right : 1 + right + self.shape[1]]
            table[:, action] = np.where(target < 0, inner, target)[self.is_floor]
        return table

    def distances(self, goal: Cell, blocked: Collection[Cell] = ()) -> CellNumbers:
        """Count the steps to a goal.

        Parameters
        ----------
        goal : Cell
        blocked : collection of Cell
            Cells that cannot be entered.

        Returns
        -------
        CellNumbers
            Cell -> fewest steps, for cells that can reach the goal; empty where the goal is wall or blocked.
        """
        from engine.mdp.reachability import (
            count_steps_on_grid,
        )  # numba: a quarter of a second that listing need not wait for

        free = self.is_floor
        if len(blocked):
            free = free.copy()
            for cell in blocked:
                if not self.is_wall(cell):
                    free[cell] = False
        if self.is_wall(goal):
            return CellNumbers(np.full(self.shape, -1, dtype=np.int32))
        return CellNumbers(count_steps_on_grid(free, *goal))

    def require_reachable(self, start: str, names: Iterable[str]) -> None:
        """Check that every cell of some features can be reached from another feature.

        Parameters
        ----------
        start : str
            The feature from which paths begin.
        names : iterable of str

        Raises
        ------
        UnreachableFeature
            For the first cell to which no path leads.
        """
        first = self.cells(start)
        if not first:
            raise MissingFeature(f"no '{start}' on the map", place=self.source, remedy="draw it")
        reached = self.distances(first[0])
        for name in names:
            for cell in self.cells(name):
                if cell not in reached:
                    problem = f"'{name}' cannot be reached from '{start}'"
                    raise self.error_at(cell, problem, "open a way through the walls", UnreachableFeature)


def _split_rows(art: str, source: str) -> tuple[str, ...]:
    """Return the rows of a drawing; blank lines around it are dropped, unless they are as long as a row (floor)."""
    lines = [line.rstrip("\r") for line in art.split("\n")]
    width = max((len(line) for line in lines if line.strip()), default=None)
    while lines and not lines[0].strip() and len(lines[0]) != width:
        lines.pop(0)
    while lines and not lines[-1].strip() and len(lines[-1]) != width:
        lines.pop()
    if not lines:
        raise MapError("the map is empty", place=source, remedy="draw at least one floor cell")
    for r, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise RaggedRows(
                f"row {r} has {len(line)} glyphs, row 0 has {len(lines[0])}",
                place=source,
                remedy="make all rows equally long",
                line=line,
                column=min(len(line), len(lines[0])),
            )
    return tuple(lines)


def _make_tuple(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _quote_names(names: str | tuple[str, ...]) -> str:
    return " and ".join(_make_tuple(names))
