"""States as columns: a NamedTuple whose fields are integer arrays, one row per state, so that rules move many at once.

n is the number of states, the length of every column; a plain number stands for a column of equal entries.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[Any]
Entries: TypeAlias = int | Column  # a field of one state, or of n states
Flags: TypeAlias = bool | np.bool_ | Column  # one answer for all states, or one for each
X = TypeVar("X", bound=tuple[Any, ...])  # a NamedTuple in the world's own words


def as_columns(x: X) -> X:
    """Make columns of length 1 of a single state whose fields are numbers; columns stay as they are."""
    return _make_like(x, [np.atleast_1d(np.asarray(entry, dtype=np.int64)) for entry in x])


def take(x: X, rows: Any) -> X:
    """Select rows of every column."""
    return _make_like(x, [entry[rows] for entry in x])


def repeat(x: X, times: int) -> X:
    """Repeat every row `times` times in succession."""
    return _make_like(x, [np.repeat(entry, times) for entry in x])


def get_state(x: X, row: int) -> X:
    """Return the state in one row, as plain numbers."""
    return _make_like(x, [int(entry[row]) for entry in x])


def broadcast(x: X, n: int) -> X:
    """Return every field as an int64 column of length n, plain numbers repeated."""
    return _make_like(x, [as_column(entry, n) for entry in x])


def as_column(entry: Entries | Flags, n: int) -> Column:
    """Return an int64 column of length n; a plain number is repeated."""
    if isinstance(entry, np.ndarray) and entry.shape == (n,):
        return entry.astype(np.int64, copy=False)
    return np.full(n, entry, dtype=np.int64)


def add_up(terms: Iterable[Entries]) -> Entries:
    """Return the sum of numbers and columns."""
    remaining = iter(terms)
    return reduce(add, remaining, next(remaining, 0))


def is_zero(entry: Entries) -> bool:
    """Return whether it is the number 0, which stands for a column of zeros."""
    return not isinstance(entry, np.ndarray) and entry == 0


def as_int(entry: Any) -> int:
    """Return a number, or the first entry of a column, as an int."""
    return int(np.asarray(entry).reshape(-1)[0])


def as_ints(entries: Any) -> tuple[int, ...]:
    """Return the fields of one state as ints."""
    return tuple(as_int(entry) for entry in entries)


def _make_like(x: X, entries: list[Any]) -> X:
    state: X = type(x)(*entries)
    return state
