"""Numbering situations: columns of integers are packed into one key a row, equal rows share a number.

    key = sum over columns of (entry - smallest) * product of the spans of the columns before

Where keys are dense a table of marks replaces sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue

Keys: TypeAlias = NDArray[np.int64]
_LARGEST = 2**62


@dataclass(frozen=True)
class Numbering:
    """smallest, largest: a column each. keys: int64[S], sorted; a row's number is the place of its key."""

    smallest: tuple[int, ...]
    largest: tuple[int, ...]
    keys: Keys

    def find(self, columns: list[Keys]) -> NDArray[np.intp]:
        """intp[n]: the number of each row, -1 where it has none."""
        inside = np.ones(len(columns[0]), dtype=bool)
        for column, low, high in zip(columns, self.smallest, self.largest, strict=True):
            inside &= (column >= low) & (column <= high)
        keys = _pack(columns, self.smallest, self.largest)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(inside & (self.keys[place] == keys), place, -1)


def number_rows(columns: list[Keys]) -> tuple[Numbering, NDArray[np.intp], NDArray[np.intp]]:
    """A numbering of the rows, the number of each row, and a row for each number.

    Raises BadValue where the columns span more than 64-bit keys hold.
    """
    smallest = tuple(int(column.min()) for column in columns)
    largest = tuple(int(column.max()) for column in columns)
    room = 1
    for low, high in zip(smallest, largest, strict=True):
        room *= high - low + 1
    if room > _LARGEST:
        raise BadValue("states span more than 64-bit keys hold", place="planning", remedy="use fewer decimals")
    keys = _pack(columns, smallest, largest)
    n = len(keys)
    if room > 8 * n + 4096:
        known, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        return Numbering(smallest, largest, known), numbers, first
    someone = np.full(room, -1, dtype=np.intp)
    someone[keys] = np.arange(n)
    known = np.flatnonzero(someone >= 0)
    first = someone[known]
    someone[known] = np.arange(len(known))
    return Numbering(smallest, largest, known.astype(np.int64)), someone[keys], first


def _pack(columns: list[Keys], smallest: tuple[int, ...], largest: tuple[int, ...]) -> Keys:
    keys = columns[0] - smallest[0]
    room = largest[0] - smallest[0] + 1
    for column, low, high in zip(columns[1:], smallest[1:], largest[1:], strict=True):
        keys = keys + (column - low) * room
        room *= high - low + 1
    return keys
