"""Quick copies of plain values: numbers, words, arrays of numbers, and containers that hold nothing deeper.

A deep copy looks at every entry; of a list of numbers or an array a shallow one is as good and much faster.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from types import NoneType
from typing import Any

import numpy as np

ATOMS = frozenset([int, float, str, bool, bytes, complex, NoneType])
CONTAINERS = frozenset([list, set, dict])


class NotPlain(Exception):
    """A value of which a shallow copy is not enough."""


def is_atom(value: Any) -> bool:
    """Whether a value cannot change: a number, a word, nothing, or a tuple of these."""
    kind = type(value)
    if kind in ATOMS:
        return True
    if kind is tuple:
        return _atoms(value)
    return isinstance(value, np.generic | enum.Enum)


def plain_copies(values: Iterable[Any]) -> list[Any]:
    """A copy of each value; NotPlain where one of them is not a plain value, or two are one and the same container."""
    result, containers = [], set[int]()
    for value in values:
        kind = type(value)
        if kind in ATOMS:
            result.append(value)
            continue
        if is_atom(value):
            result.append(value)
            continue
        if id(value) in containers:
            raise NotPlain
        containers.add(id(value))
        result.append(_shallow(value, kind))
    return result


def _shallow(value: Any, kind: type) -> Any:
    if kind is np.ndarray:
        if value.dtype != np.object_ or _atoms(value.ravel().tolist()):
            return value.copy()
    elif kind in CONTAINERS and _atoms(value) and (kind is not dict or _atoms(value.values())):
        return value.copy()
    raise NotPlain


def _atoms(entries: Iterable[Any]) -> bool:
    kinds = set(map(type, entries))
    if kinds <= ATOMS:
        return True
    return kinds <= ATOMS | {tuple} and all(type(entry) is not tuple or _atoms(entry) for entry in entries)
