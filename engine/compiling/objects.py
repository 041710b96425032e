"""Plain objects that compiled code takes as they are: same fields, same methods, one source.

A class that derives from `Compilable` stays an ordinary Python class. When one of its objects is passed to a function
compiled by numba, the object's fields (numbers, tuples of them, arrays, other such objects) become a struct, and its
methods are compiled when they are called. Hence a loop over `agent.act(...)` and `environment.step(...)` runs
plainly or at the speed of C, from the same lines.

Names are references, as in Python, and `fork()` makes a copy. What compiled code does to an object that it was
passed stays in compiled code (arrays excepted, which are lent): pass fresh objects and return what matters.
Compiled code may be cached on disk: an object's type carries a digest of the sources that its methods come from, so
that an edited method is never answered by a stale cache.

Compiled code takes objects that it can hold, that share nothing that changes, and whose forks are copies
(`is_compilable`, `explain_not_compilable`, `find_fork_fault`).

objects        what a class derives from and which objects are fit; knows nothing of numba, half a second to load
teaching       numba learns of objects when it meets the first one: their type, reading and writing fields
plain_code     which code of users' own gives in compiled code what it gives in Python
members        what compiled code finds at an object: fields, constants of its class, properties, methods, ancestors
numba_objects  the type of an object, the way from Python, methods, copies
digest         what a class is compiled from, and whether its objects change
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import sys
from abc import ABCMeta
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.compiling.digest import is_frozen
from engine.compiling.members import collect_fields


class Compilable:
    """Marks a plain class whose objects may be passed to compiled code.

    Its fields keep their types, hold no cycles, and are all set by `__init__`; its methods and properties use what
    numba knows. They read numbers, tuples of them and arrays of its class; those of a user's own may use `super()`.
    `fork`, where there is one, gives an independent copy. What several objects share is never changed: read-only
    arrays, and objects of frozen dataclasses.
    """

    @property
    def _numba_type_(self) -> Any:
        """The type that numba asks the first object for; from then on it knows of such classes."""
        from engine.compiling.teaching import teach

        return teach(Compilable, self)


def fork_deeply(self: Any) -> Any:
    """Return an independent copy: the one `fork` of a class of a user's own that compiled code takes.

    It is written into the class: `fork = fork_deeply`.
    """
    return copy.deepcopy(self)


def make_compilable(thing: Any) -> Any:
    """Return an object of a plain class as one that compiled code may take; the object itself stays as it is.

    It gets the same fields, made so in turn, and a class of the same name that derives from its own and from
    Compilable, and that can be forked. What cannot be made so is returned as it is.
    """
    return _make_compilable(thing, {})


def _make_compilable(thing: Any, made: dict[int, Any]) -> Any:
    """made: what was made of which object, by its identity, so that what is shared stays shared."""
    cls: Any = type(thing)
    fit = isinstance(thing, Compilable) and (made or hasattr(thing, "fork"))  # parts are copied with what holds them
    if fit or cls.__module__ in ("builtins", "numpy") or not hasattr(thing, "__dict__"):
        return thing
    if id(thing) not in made:
        made[id(thing)] = thing  # of what cannot be made, and while its fields are
        with contextlib.suppress(TypeError):
            twin = object.__new__(_derive_compilable(cls))
            made[id(thing)] = twin
            vars(twin).update((name, _make_compilable(part, made)) for name, part in vars(thing).items())
    return made[id(thing)]


@functools.cache
def _derive_compilable(cls: Any) -> Any:
    if type(cls) not in (type, ABCMeta) or any("__init_subclass__" in vars(base) for base in cls.__mro__[:-1]):
        raise TypeError("its class sees to its subclasses itself")
    members = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    if not hasattr(cls, "fork"):
        members["fork"] = fork_deeply
    return type(cls)(cls.__name__, (cls, Compilable), members)


def is_compilable(*things: object) -> bool:
    """Return whether compiled code can take these objects together."""
    return explain_not_compilable(*things) is None


def explain_not_compilable(*things: object) -> str | None:
    """Return why compiled code cannot take these objects together, None where it can.

    It takes Compilable objects of classes that can be imported, whose fields are so, numbers, tuples or arrays; two of
    them may share only what nothing changes.
    """
    for thing in things:
        if not isinstance(thing, Compilable):
            return f"{type(thing).__name__} does not derive from Compilable"
        for reason in _find_faults(thing, type(thing).__name__, ()):
            return reason
    return next(_find_shared(things), None)


def find_fork_fault(thing: Any) -> str | None:
    """Return why the fork of an object, or of one that it holds, is not an independent copy of it; None where it is.

    Compiled code copies the object; its own `fork` must come to the same. What has no `fork` has no fault.
    """
    for name, part in _iterate_parts(thing, type(thing).__name__):
        if not hasattr(part, "fork"):
            continue
        before, twin, after = _copy_contents(part), part.fork(), _copy_contents(part)
        if not (_are_alike(before, after) and _are_alike(after, _copy_contents(twin))):
            return f"the fork of {name} is not like it"
        for shared in _find_shared((part, twin)):
            return f"after a fork, {shared}"
    return None


def _copy_contents(value: Any) -> Any:
    """Return a value's class and fields in turn, arrays copied."""
    if isinstance(value, Compilable):
        return type(value), [(name, _copy_contents(part)) for name, part in vars(value).items()]
    if isinstance(value, tuple):
        return type(value), [_copy_contents(part) for part in value]
    return value.copy() if isinstance(value, np.ndarray) else value


def _are_alike(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(_are_alike, one, other))
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return type(one) is type(other) and (one == other or one != one)


def _find_faults(value: Any, name: str, holders: tuple[int, ...]) -> Iterator[str]:
    """What compiled code cannot hold of a value and of its parts."""
    if id(value) in holders:
        yield f"{name} holds itself"
    elif isinstance(value, Compilable):
        cls: Any = type(value)
        if _is_unlike_plain_objects(cls, vars(value)):
            yield f"the class {cls.__name__} has its own way to read and write attributes"
        if "<locals>" in cls.__qualname__ or not hasattr(sys.modules.get(cls.__module__), "__file__"):
            yield f"the class {cls.__name__} cannot be imported"
        for field, part in collect_fields(value).items():
            yield from _find_faults(part, f"'{field}' of {cls.__name__}", (*holders, id(value)))
    elif type(value) is tuple:
        for part in value:
            yield from _find_faults(part, name, holders)
    elif type(value) is np.ndarray:
        if value.dtype == object:
            yield f"{name} is an array of objects"
    elif type(value) not in (bool, int, float) and type(value).__module__ != "numpy":
        yield f"{name} is a {type(value).__name__}"


def _is_unlike_plain_objects(cls: type, fields: dict[str, Any]) -> bool:
    """Return whether a class sees to attributes itself, has slots, or properties in the way of fields."""
    own = ("__getattribute__", "__getattr__", "__delattr__", "__setattr__")[: 2 if is_frozen(cls) else None]
    classes = [vars(each) for each in cls.__mro__[:-1]]
    special = any(name in members for members in classes for name in own)
    slots = any(members.get("__slots__") for members in classes)
    return special or slots or any(hasattr(members.get(name), "__set__") for members in classes for name in fields)


def _find_shared(things: tuple[object, ...]) -> Iterator[str]:
    """What may change and is held twice: compiled code would have two of it."""
    met: set[int] = set()
    arrays: list[Any] = []
    for name, value in itertools.chain.from_iterable(_iterate_parts(thing, type(thing).__name__) for thing in things):
        if isinstance(value, np.ndarray):
            for other in arrays:
                if (value.flags.writeable or other.flags.writeable) and np.may_share_memory(value, other):
                    yield f"{name} shares its memory with another array"
            arrays.append(value)
        elif id(value) in met:
            yield f"{name} is held in two places"
        else:
            met.add(id(value))


def _iterate_parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The objects that may change, and the arrays, that a value holds, by what messages call them."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, tuple):
        for part in value:
            yield from _iterate_parts(part, name)
    elif isinstance(value, Compilable):
        if not is_frozen(type(value)):
            yield name, value
        for field, part in collect_fields(value).items():
            yield from _iterate_parts(part, f"'{field}' of {type(value).__name__}")
