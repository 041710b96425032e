"""Noticing early that states are continuous: a walk through them would find new ones without an end.

A number with a fractional part that is another one in nearly every state, while many states wait, is no coordinate of
a lattice: there, each coordinate comes back in many states.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from engine.mdp.mdp import Floats

FIRST_LOOK = 500
"""Fewer states say nothing."""
NEARLY_EVERY = 0.6
"""The share of states in which a continuous number is another one."""
WAITING = 0.25
"""The share of the states found that still wait where a world keeps growing."""
MOST_NUMBERS = 1000
"""Of a state with more numbers, such as a picture, the first are looked at."""


def keeps_growing(found: int, done: int) -> bool:
    """Whether so many states of a walk wait that it is worth asking what makes them."""
    return found >= FIRST_LOOK and found - done >= WAITING * found


def values_if_continuous(parts: Sequence[Hashable]) -> int:
    """How many values the most varied fractional number in n frozen values takes; 0 where it is no continuous one."""
    rows = [_numbers(part) for part in parts]
    width = min((len(row) for row in rows), default=0)
    if len(rows) < FIRST_LOOK or width == 0:
        return 0
    columns = np.sort(np.array([row[:width] for row in rows]), axis=0)
    is_new = np.ones(columns.shape, dtype=np.bool_)
    is_new[1:] = columns[1:] != columns[:-1]
    fractional = np.where(np.isfinite(columns), columns, 0.0) % 1.0 != 0.0
    most = int((is_new & fractional).sum(axis=0).max())
    return most if most >= NEARLY_EVERY * len(rows) else 0


def _numbers(part: Hashable) -> Floats:
    """f64[n]: the floating-point numbers of a frozen value, in order."""
    found: list[Floats] = []
    total = 0
    for piece in _pieces(part):
        found.append(piece)
        total += len(piece)
        if total >= MOST_NUMBERS:
            break
    return np.concatenate(found)[:MOST_NUMBERS] if found else np.zeros(0)


def _pieces(part: Hashable) -> Iterator[Floats]:
    if isinstance(part, float):
        yield np.array([part])
    elif isinstance(part, tuple):
        if len(part) == 4 and part[0] == "array" and isinstance(part[3], bytes):
            kind = np.dtype(str(part[1]))
            if kind.kind == "f":
                yield np.frombuffer(part[3], dtype=kind).astype(np.float64)
        else:
            for each in part:
                yield from _pieces(each)
