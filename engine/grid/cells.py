"""Cells of a grid, and collections of millions of them as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray


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
