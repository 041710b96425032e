"""A digest of code as it is loaded in this process, by which a worker knows that it runs the code of the session.

    digest = "PYTHON:BLAKE2b(bytecode and constants of a function, and of the author's own functions that it reaches)"

The source beside a running worker may have been changed since the worker loaded it; what is loaded decides. Digests of
different releases of Python cannot be compared.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from experiments.runs.storage.source_digest import authors_root

DIGITS = 32


def code_digest(*functions: Callable[..., Any] | None) -> str:
    """The digest of functions, those of partials among them; what is no Python function adds nothing."""
    return _digest(tuple(plain for function in functions for plain in _functions_of(function)))


@functools.lru_cache(maxsize=64)
def _digest(functions: tuple[FunctionType, ...]) -> str:
    seen: dict[str, str] = {}
    waiting = list(functions)
    roots = [authors_root(file, function.__module__) for function in waiting if (file := _file(function))]
    while waiting:
        function = waiting.pop()
        name = f"{function.__module__}.{function.__qualname__}"
        if name in seen:
            continue
        seen[name] = repr((_shape(function.__code__), _plain(function.__defaults__)))
        for used, value in _used(function, roots):
            if _is_numeric(value):
                seen[f"{name}.{used}"] = _plain(value)
            waiting += [reached for reached in _functions_of(value) if _is_below(_file(reached), roots)]
    text = "\n".join(f"{name}: {shape}" for name, shape in sorted(seen.items()))
    return f"{platform.python_version()}:{hashlib.blake2b(text.encode(), digest_size=DIGITS // 2).hexdigest()}"


def is_other_code(ours: str, theirs: str) -> bool:
    """Whether two digests are surely of different code."""
    return ours != theirs and ours.partition(":")[0] == theirs.partition(":")[0]


def _functions_of(value: Any) -> list[FunctionType]:
    """The Python functions that a value is or holds: of a partial, a compiled function, a class."""
    while isinstance(value, functools.partial):
        value = value.func
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        return [value]
    if isinstance(value, type):
        members = (getattr(member, "__func__", getattr(member, "fget", member)) for member in vars(value).values())
        return [member for member in members if isinstance(member, FunctionType)]
    return []


def _is_numeric(value: Any) -> bool:
    """Whether a module's value is a number or a tuple of them; words may be paths, which differ between machines."""
    return all(map(_is_numeric, value)) if isinstance(value, tuple) else isinstance(value, int | float)


def _used(function: FunctionType, roots: list[Path]) -> Iterator[tuple[str, Any]]:
    """The values of a module that a function uses by name, and those of the author's own modules (`worlds.size`)."""
    names = sorted(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        yield name, value
        if isinstance(value, ModuleType) and _is_below(_path(value), roots):
            yield from ((f"{name}.{part}", vars(value)[part]) for part in names if part in vars(value))


def _file(function: FunctionType) -> Path | None:
    """The file of a function's module."""
    return _path(sys.modules.get(function.__module__ or ""))


def _path(module: ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file else None


def _is_below(file: Path | None, roots: list[Path]) -> bool:
    return file is not None and any(root == file or root in file.parents for root in roots)


def _names(code: CodeType) -> set[str]:
    """Every name that a function or a function inside it uses."""
    return set(code.co_names).union(*(_names(inner) for inner in _inner(code)))


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _shape(code: CodeType) -> Any:
    """Bytecode, names and constants; no file, line or docstring."""
    documented = code.co_consts[:1] if code.co_consts and isinstance(code.co_consts[0], str) else ()
    constants = [_plain(constant) for constant in code.co_consts if constant not in documented]
    return code.co_code.hex(), code.co_names, constants, [_shape(inner) for inner in _inner(code)]


def _plain(value: Any) -> str:
    """A value's text where that is the same in every process, else the name of its class."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    return repr(value) if value is None or isinstance(value, str | int | float | bytes) else type(value).__name__
