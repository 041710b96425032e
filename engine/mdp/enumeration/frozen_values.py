"""Values as hashable plain data that are equal where the values are, and quick copies of plain values.

Frozen values stand for arrays, lists, dictionaries, objects. What is not data is left out: functions, classes,
generators, spaces, windows. An object is the class it has and the frozen values of its attributes; one that occurs
twice is frozen once and referred to by number. Containers are equal where their entries are, whether or not they are
one.

Copies are quick for numbers, words, arrays of numbers, and containers that hold nothing deeper. A deep copy looks at
every entry; of a list of numbers or an array a shallow one is as good and much faster.
"""

from __future__ import annotations

import dataclasses
import enum
import random
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from types import NoneType
from typing import Any

import numpy as np

ATOMS = frozenset([int, float, str, bool, bytes, complex, NoneType])
CONTAINERS = frozenset([list, set, dict])


class NotPlain(Exception):
    """A value of which a shallow copy is not enough."""


def is_atom(value: Any) -> bool:
    """Return whether a value cannot change: a number, a word, nothing, or a tuple of these."""
    kind = type(value)
    if kind in ATOMS:
        return True
    if kind is tuple:
        return _are_atoms(value)
    return isinstance(value, np.generic | enum.Enum)


def copy_plain_values(values: Iterable[Any]) -> list[Any]:
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
        result.append(_copy_shallowly(value, kind))
    return result


def _copy_shallowly(value: Any, kind: type) -> Any:
    if kind is np.ndarray:
        if value.dtype != np.object_ or _are_atoms(value.ravel().tolist()):
            return value.copy()
    elif kind in CONTAINERS and _are_atoms(value) and (kind is not dict or _are_atoms(value.values())):
        return value.copy()
    raise NotPlain


def _are_atoms(entries: Iterable[Any]) -> bool:
    kinds = set(map(type, entries))
    if kinds <= ATOMS:
        return True
    return kinds <= ATOMS | {tuple} and all(type(entry) is not tuple or _are_atoms(entry) for entry in entries)


PLAIN = (int, float, str, bytes, bool, complex, type(None), np.generic)
QUICK = ATOMS - {float}
OPAQUE_MODULES = ("pygame", "gymnasium.spaces", "gymnasium.utils", "gymnasium.envs.registration", "threading", "torch")
OPAQUE = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    np.random.Generator,
    np.random.RandomState,
    random.Random,
)


def is_opaque(value: Any) -> bool:
    """Return whether a value is not data: a function, a class, a generator, a space, a window."""
    return _is_opaque_kind(type(value))  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def _is_opaque_kind(kind: Any) -> bool:
    return issubclass(kind, OPAQUE) or kind.__module__.startswith(OPAQUE_MODULES)


def freeze_value(value: Any) -> Hashable:
    """Return the value as hashable plain data; what is not data becomes the name of its type."""
    return _freeze_value(value, {}, [])


def _freeze_value(value: Any, objects: dict[int, int], inside: list[int]) -> Hashable:
    """objects: number of every object met so far, by its address. inside: addresses of what is being frozen."""
    kind = type(value)
    if kind in (int, str, bool, bytes, types.NoneType):
        return value  # type: ignore[no-any-return]
    if isinstance(value, float | np.floating):
        return float(value) + 0.0 if value == value else "nan"  # -0.0 is 0.0, and nan is nan
    if isinstance(value, np.generic):
        return value.item()  # type: ignore[no-any-return]
    if isinstance(value, enum.Enum):
        return kind.__qualname__, value.name
    if isinstance(value, PLAIN):
        return value
    if kind in (list, tuple) and set(map(type, value)) <= QUICK:
        return kind.__name__, *value
    if isinstance(value, np.ndarray) and value.dtype != np.object_:
        return "array", value.dtype.str, value.shape, value.tobytes()
    if is_opaque(value):
        return kind.__qualname__
    if id(value) in inside:
        return "holder", len(inside) - inside.index(id(value))
    if isinstance(value, np.ndarray | Mapping | Set | Sequence):
        inside.append(id(value))
        parts = _freeze_parts(value, lambda part: _freeze_value(part, objects, inside))
        inside.pop()
        return kind.__name__, *parts
    if id(value) in objects:
        return "object", objects[id(value)]
    objects[id(value)] = len(objects)
    held = sorted(_read_attributes(value).items())
    return kind.__qualname__, *((name, _freeze_value(part, objects, inside)) for name, part in held)


def _freeze_parts(value: Any, freeze: Callable[[Any], Hashable]) -> Sequence[Hashable]:
    """Return the frozen parts of a container, in an order that does not depend on addresses."""
    if isinstance(value, Mapping):
        return sorted(((freeze(key), freeze(part)) for key, part in value.items()), key=repr)
    if isinstance(value, Set):
        return sorted((freeze(part) for part in value), key=repr)
    return [freeze(part) for part in (value.ravel() if isinstance(value, np.ndarray) else value)]


def _read_attributes(value: Any) -> dict[str, Any]:
    """What an object holds, by name."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    held = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                held[name] = getattr(value, name)
    return held
