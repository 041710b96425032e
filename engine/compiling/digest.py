"""A digest of everything that a class's methods are compiled from, so that no stale code answers for them.

It covers the sources of the class, of its ancestors and of the functions that its methods name, these in turn, and the
values of the numbers, texts and arrays that all of them read: numba compiles both into the code.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_Value = tuple[str, Callable[[], Any]]
_Methods = tuple[tuple[FunctionType, CodeType], ...]
"""The functions of a class and of its ancestors, as they are now: somebody may put others in their places."""


def is_ours(thing: Any) -> bool:
    """Return whether a function or class is of our own packages."""
    return str(getattr(thing, "__module__", "")).startswith(("engine.", "xenv."))


def is_frozen(cls: Any) -> bool:
    """Return whether objects of a class never change: those of a frozen dataclass."""
    declared = getattr(cls, "__dataclass_params__", None)
    return declared is not None and bool(declared.frozen)


def digest_of(cls: Any) -> str:
    """Return the digest of a class, as the values that its methods read are now."""
    methods = _list_methods(cls)
    digest = hashlib.blake2b(_digest_sources(cls, methods).encode(), digest_size=8)
    for name, read in _collect_values(methods):
        value = read()
        shown = value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
        digest.update(f"{name} {type(value).__name__} ".encode() + shown + b"\n")
    return digest.hexdigest()


def collect_names(cls: Any) -> frozenset[str]:
    """Every name and text in the code of a class's methods, and in the functions that they name, in turn.

    What a `fork` names does not count: compiled code copies objects itself.
    """
    return _collect_names(_list_methods(cls))


@functools.cache
def _collect_names(methods: _Methods) -> frozenset[str]:
    functions = [function for function in _collect_functions(methods) if function.__name__ != "fork"]
    return frozenset(name for function in functions for name in _iterate_names(function.__code__))


def _list_methods(cls: Any) -> _Methods:
    members = (thing for ancestor in cls.__mro__ for thing in vars(ancestor).values())
    things = (getattr(thing, "fget" if type(thing) is property else "py_func", thing) for thing in members)
    return tuple((thing, thing.__code__) for thing in things if isinstance(thing, FunctionType))


@functools.cache
def _digest_sources(cls: Any, methods: _Methods) -> str:
    """A digest of the files that a class and all that it names come from, and of this package, which compiles them.

    And of what its methods do, which may be others than those that its file defines.
    """
    modules = {ancestor.__module__ for ancestor in cls.__mro__}
    for function in _collect_functions(methods):
        modules.add(function.__module__)
        modules |= {
            str(thing.__module__) for _, read in _iterate_named_values(function) if isinstance(thing := read(), type)
        }
    texts = {path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")}
    texts |= {text for name in modules if _is_written_here(name) and (text := _read_source(sys.modules[name]))}
    digest = hashlib.blake2b(digest_size=8)
    for text in sorted(texts):
        digest.update(text.encode())
    for function, code in methods:
        if not is_ours(function):
            digest.update(repr([function.__name__, *_iterate_instructions(code)]).encode())
    return digest.hexdigest()


@functools.cache
def _collect_values(methods: _Methods) -> tuple[_Value, ...]:
    """Return the numbers, texts and arrays that the methods of a class read, by name, to be read again."""
    named = [value for function in _collect_functions(methods) for value in _iterate_named_values(function)]
    return tuple((name, read) for name, read in named if _is_constant(read()))


def _is_constant(value: Any) -> bool:
    """Return whether numba compiles a value into the code."""
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return value is None or isinstance(value, int | float | complex | str | bytes | np.generic | np.ndarray | Enum)


@functools.cache
def _collect_functions(methods: _Methods) -> tuple[FunctionType, ...]:
    """Return the methods of a class and of its ancestors, and the functions that they name, in turn."""
    waiting: list[Any] = [function for function, _ in methods]
    found: dict[FunctionType, None] = {}
    while waiting:
        thing = waiting.pop()
        function = getattr(thing, "py_func", thing)  # of a function that numba has compiled
        if isinstance(function, FunctionType) and function not in found and _is_written_here(function.__module__):
            found[function] = None
            waiting += [read() for _, read in _iterate_named_values(function)]
    return tuple(found)


def _iterate_named_values(function: FunctionType) -> Iterator[_Value]:
    """What a function reads from its module, from modules and classes that it names, and from a function around it."""
    names = set(_iterate_names(function.__code__))
    for name in sorted(names & function.__globals__.keys()):
        thing = function.__globals__[name]
        yield name, functools.partial(function.__globals__.get, name)
        if isinstance(thing, ModuleType) and _is_written_here(thing.__name__):
            for inner in sorted(names & vars(thing).keys()):
                yield f"{name}.{inner}", functools.partial(vars(thing).get, inner)
        elif isinstance(thing, type) and _is_written_here(thing.__module__):
            for inner in sorted(names & set(dir(thing))):
                yield f"{name}.{inner}", functools.partial(getattr, thing, inner, None)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, functools.partial(getattr, cell, "cell_contents", None)


def _iterate_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _iterate_names(inner)
        elif isinstance(inner, str):
            yield inner


def _iterate_instructions(code: CodeType) -> Iterator[Any]:
    """What a function does, wherever it is written."""
    yield from (code.co_code, code.co_names, code.co_varnames)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iterate_instructions(constant)
        else:
            yield sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant


def _is_written_here(module: str | None) -> bool:
    """Return whether a module is neither installed nor part of Python."""
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return bool(file) and "site-packages" not in str(file) and str(module).split(".")[0] not in sys.stdlib_module_names


def _read_source(module: ModuleType) -> str | None:
    try:
        return inspect.getsource(module)
    except (OSError, TypeError):
        return None
