"""What compiled code can take: objects that it can hold, that share nothing that changes, whose forks are copies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.compiling.digest import is_frozen
from engine.compiling.objects import Compilable


def is_compilable(*things: object) -> bool:
    """Whether compiled code can take these objects together."""
    return why_not_compilable(*things) is None


def why_not_compilable(*things: object) -> str | None:
    """Why compiled code cannot take these objects together, None where it can.

    It takes Compilable objects of classes that can be imported, whose fields are so, numbers, tuples or arrays; two of
    them may share only what nothing changes.
    """
    for thing in things:
        if not isinstance(thing, Compilable):
            return f"{type(thing).__name__} does not derive from Compilable"
        for reason in _faults(thing, type(thing).__name__, ()):
            return reason
    return next(_shared(things), None)


def fork_fault(thing: Any) -> str | None:
    """Why the fork of an object, or of one that it holds, is not an independent copy of it; None where it is.

    Compiled code copies the object; its own `fork` must come to the same. What has no `fork` has no fault.
    """
    for name, part in _parts(thing, type(thing).__name__):
        if not hasattr(part, "fork"):
            continue
        before, twin, after = _contents(part), part.fork(), _contents(part)
        if not (_alike(before, after) and _alike(after, _contents(twin))):
            return f"the fork of {name} is not like it"
        for shared in _shared((part, twin)):
            return f"after a fork, {shared}"
    return None


def _contents(value: Any) -> Any:
    """A value's class and fields in turn, arrays copied."""
    if isinstance(value, Compilable):
        return type(value), [(name, _contents(part)) for name, part in vars(value).items()]
    if isinstance(value, tuple):
        return type(value), [_contents(part) for part in value]
    return value.copy() if isinstance(value, np.ndarray) else value


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return type(one) is type(other) and (one == other or one != one)


def _faults(value: Any, name: str, holders: tuple[int, ...]) -> Iterator[str]:
    """What compiled code cannot hold of a value and of its parts."""
    if id(value) in holders:
        yield f"{name} holds itself"
    elif isinstance(value, Compilable):
        cls: Any = type(value)
        if "<locals>" in cls.__qualname__ or cls.__module__ == "__main__":
            yield f"the class {cls.__name__} cannot be imported"
        for field, part in vars(value).items():
            yield from _faults(part, f"'{field}' of {cls.__name__}", (*holders, id(value)))
    elif isinstance(value, tuple):
        for part in value:
            yield from _faults(part, name, holders)
    elif isinstance(value, np.ndarray):
        if value.dtype == object:
            yield f"{name} is an array of objects"
    elif not isinstance(value, bool | int | float | np.generic):
        yield f"{name} is a {type(value).__name__}"


def _shared(things: tuple[object, ...]) -> Iterator[str]:
    """What may change and is held twice: compiled code would have two of it."""
    met: set[int] = set()
    arrays: list[tuple[str, Any]] = []
    for name, value in itertools.chain.from_iterable(_parts(thing, type(thing).__name__) for thing in things):
        if isinstance(value, np.ndarray):
            if value.flags.writeable and any(np.may_share_memory(value, other) for _, other in arrays):
                yield f"{name} shares its memory with another array"
            arrays += [(name, value)] if value.flags.writeable else []
        elif id(value) in met:
            yield f"{name} is held in two places"
        else:
            met.add(id(value))


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The objects that may change, and the arrays, that a value holds, by what messages call them."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, tuple):
        for part in value:
            yield from _parts(part, name)
    elif isinstance(value, Compilable):
        if not is_frozen(type(value)):
            yield name, value
        for field, part in vars(value).items():
            yield from _parts(part, f"'{field}' of {type(value).__name__}")
