"""An array whose rows are found piece by piece, and of which there are never two copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

GROWTH = 1.2


class GrowingRows:
    """Rows [m, ...] of one kind of number, appended at the end. Pieces may differ in width; zeros fill what is missing.

    A large array grows in place: the operating system moves its pages and copies nothing.
    """

    def __init__(self) -> None:
        self._room: NDArray[Any] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows [m, ...]."""
        if self._room is None:
            self._room = np.zeros(rows.shape, rows.dtype)
        end, shape = self._count + len(rows), np.maximum(self._room.shape, rows.shape)[1:].tolist()
        if shape != list(self._room.shape[1:]):
            wider = np.zeros((len(self._room), *shape), rows.dtype)
            wider[tuple(map(slice, self._room.shape))] = self._room
            self._room = wider
        if end > len(self._room):
            self._room.resize((max(end, int(GROWTH * len(self._room))), *shape), refcheck=False)
        self._room[(slice(self._count, end), *map(slice, rows.shape[1:]))] = rows
        self._count = end

    def array(self) -> NDArray[Any]:
        """All rows as one array, which this object gives up."""
        assert self._room is not None
        whole, self._room = self._room, None
        whole.resize((self._count, *whole.shape[1:]), refcheck=False)
        return whole
