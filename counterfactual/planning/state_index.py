"""Indices of states: columns of integers are packed into one key a row, and equal rows get the same index.

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
IndexColumn: TypeAlias = NDArray[np.intp]
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class StateIndex:
    """The distinct states of one step, in the order of their keys.

    smallest, largest: the range of each column. keys: int64[S], sorted; the index of a state is the place of its key.
    """

    smallest: tuple[int, ...]
    largest: tuple[int, ...]
    keys: Keys

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, columns: list[Keys]) -> IndexColumn:
        """intp[n]: the index of each row, -1 where it has none."""
        inside = np.ones(len(columns[0]), dtype=bool)
        for column, low, high in zip(columns, self.smallest, self.largest, strict=True):
            inside &= (column >= low) & (column <= high)
        keys = _pack(columns, self.smallest, self.largest)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(inside & (self.keys[place] == keys), place, -1)


def index_states(columns: list[Keys]) -> tuple[StateIndex, IndexColumn, IndexColumn]:
    """A `StateIndex` of the distinct rows, the index of each row intp[n], and one row for each index intp[S].

    columns: int64[n] a field. Raises BadValue where the columns span more than 64-bit keys hold.
    """
    if len(columns[0]) == 1:  # a step without a choice
        only, first = tuple(int(column[0]) for column in columns), np.zeros(1, dtype=np.intp)
        return StateIndex(only, only, np.zeros(1, dtype=np.int64)), first, first
    smallest = tuple(int(column.min()) for column in columns)
    largest = tuple(int(column.max()) for column in columns)
    span = 1
    for low, high in zip(smallest, largest, strict=True):
        span *= high - low + 1
    if span > _LARGEST_KEY:
        raise BadValue("states span more than 64-bit keys hold", place="planning", remedy="use fewer decimals")
    keys = _pack(columns, smallest, largest)
    n = len(keys)
    if span > 8 * n + 4096:
        distinct, first, indices = _unique(keys, span)
        return StateIndex(smallest, largest, distinct), indices, first
    marks = np.full(span, -1, dtype=np.intp)
    marks[keys] = np.arange(n)
    distinct = np.flatnonzero(marks >= 0)
    first = marks[distinct]
    marks[distinct] = np.arange(len(distinct))
    return StateIndex(smallest, largest, distinct.astype(np.int64)), marks[keys], first


def _unique(keys: Keys, span: int) -> tuple[Keys, IndexColumn, IndexColumn]:
    """The distinct keys, sorted, the first row of each, and by row the place of its key.

    Rows are sorted together with their keys in one number, where it holds both: faster than sorting rows by keys.
    """
    bits = len(keys).bit_length()
    if span << bits > _LARGEST_KEY:
        distinct, first, indices = np.unique(keys, return_index=True, return_inverse=True)
        return distinct, first, indices
    both = np.sort((keys << bits) | np.arange(len(keys)))
    order, in_order = both & ((1 << bits) - 1), both >> bits
    new = np.ones(len(keys), dtype=bool)
    new[1:] = in_order[1:] != in_order[:-1]
    indices = np.empty(len(keys), dtype=np.intp)
    indices[order] = np.cumsum(new) - 1
    return in_order[new], order[new], indices


def _pack(columns: list[Keys], smallest: tuple[int, ...], largest: tuple[int, ...]) -> Keys:
    keys, span = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, low, high in zip(columns, smallest, largest, strict=True):
        if low == high:
            continue
        from_low = column if low == 0 else column - low
        keys = from_low if span == 1 else keys + from_low * span
        span *= high - low + 1
    return keys
