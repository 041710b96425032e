"""Scenes as JSON values and back, driven by the type hints of `engine.scene`: what is not of the type is refused.

A named tuple is the list of its fields (trailing defaults may be left out), a data class an object with its class as
"kind", bytes are text in base 64. Sizes are bounded, numbers are finite, panels are nested a few levels at most.
"""

from __future__ import annotations

import base64
import dataclasses
import math
import types
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.plain_values import python_value

MOST_ITEMS = 1_000_000
MOST_ROWS = 2_000
MOST_LETTERS = 10_000
MOST_ENCODED = 32 * 1024 * 1024
DEEPEST = 4
LARGEST_INTEGER = 10**9
Value = TypeVar("Value")
_KINDS = {str: "text", int: "integer", float: "number", bool: "truth value", bytes: "text of bytes"}


class SchemaMismatch(ValueError):
    """A value that is not of the type it should be of."""


def to_json_value(value: Any) -> Any:
    """A scene or a part of one as lists, objects, numbers and strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if getattr(value, field.name) != field.default]
        given = {name: to_json_value(getattr(value, name)) for name in names}
        return {"kind": type(value).__name__.lower(), **given}
    if isinstance(value, tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return python_value(value)


def from_json_value(kind: type[Value], given: Any, depth: int = 0) -> Value:
    """The value of a type that a plain one describes. Raises SchemaMismatch, saying what is wrong."""
    value: Value = _value(kind, given, depth)
    return value


def _value(kind: Any, given: Any, depth: int) -> Any:
    if kind in _KINDS:
        return _simple(kind, given)
    if dataclasses.is_dataclass(kind):
        return _object(kind, given, depth)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _named(kind, given, depth)
    if get_origin(kind) is tuple:
        return _sequence(get_args(kind), given, depth)
    if get_origin(kind) in (Union, types.UnionType):
        return _choice(get_args(kind), given, depth)
    raise SchemaMismatch(f"a film holds no {kind}")


def _simple(kind: type, given: Any) -> Any:
    if kind is bytes:
        return _bytes(given)
    if (
        kind is float
        and isinstance(given, int | float)
        and not isinstance(given, bool)
        and abs(given) < 1e300
        and math.isfinite(given)
    ):
        return float(given)
    if kind is float or type(given) is not kind:
        raise SchemaMismatch(f"{_described(given)} where a {_KINDS[kind]} belongs")
    if isinstance(given, str) and len(given) > MOST_LETTERS:
        raise SchemaMismatch(f"a text of {len(given)} letters")
    if isinstance(given, int) and abs(given) > LARGEST_INTEGER:
        raise SchemaMismatch("an integer beyond all bounds")
    return given


def _bytes(given: Any) -> bytes:
    """Bytes that were written in base 64."""
    if not isinstance(given, str) or len(given) > MOST_ENCODED:
        raise SchemaMismatch(f"{_described(given)} where a text of bytes belongs")
    try:
        return base64.b64decode(given, validate=True)
    except ValueError as error:
        raise SchemaMismatch("a text that is not in base 64") from error


def _object(kind: Any, given: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise SchemaMismatch(f"panels nested more than {DEEPEST} deep")
    if not isinstance(given, dict):
        raise SchemaMismatch(f"{_described(given)} where an object belongs")
    hints = _hints(kind)
    unknown = sorted(set(given) - set(hints) - {"kind"})
    if unknown:
        raise SchemaMismatch(f"unknown field '{unknown[0][:40]}' of a {kind.__name__.lower()}")
    values = {name: _value(hints[name], given[name], depth + 1) for name in given if name != "kind"}
    if "floor" in values and (len(values["floor"]) > MOST_ROWS or any(len(row) > MOST_ROWS for row in values["floor"])):
        raise SchemaMismatch(f"a floor of more than {MOST_ROWS} rows or columns")
    try:
        return kind(**values)
    except TypeError as error:
        raise SchemaMismatch(f"a {kind.__name__.lower()} lacks a field") from error


def _named(kind: Any, given: Any, depth: int) -> Any:
    hints = list(_hints(kind).values())
    least = len(hints) - len(kind._field_defaults)
    if not isinstance(given, list) or not least <= len(given) <= len(hints):
        raise SchemaMismatch(f"{_described(given)} where the fields of a {kind.__name__.lower()} belong")
    return kind(*(_value(hint, item, depth) for hint, item in zip(hints, given, strict=False)))


def _sequence(parts: tuple[Any, ...], given: Any, depth: int) -> Any:
    if not isinstance(given, list) or len(given) > MOST_ITEMS:
        raise SchemaMismatch(f"{_described(given)} where a list of at most {MOST_ITEMS} items belongs")
    if parts[-1] is Ellipsis:
        return tuple(_value(parts[0], item, depth) for item in given)
    if len(given) != len(parts):
        raise SchemaMismatch(f"a list of {len(given)} items where {len(parts)} belong")
    return tuple(_value(part, item, depth) for part, item in zip(parts, given, strict=True))


def _choice(kinds: tuple[Any, ...], given: Any, depth: int) -> Any:
    """One of several classes, distinguished by "kind"; or a value that may be missing."""
    if types.NoneType in kinds:
        rest = [kind for kind in kinds if kind is not types.NoneType]
        return None if given is None else _value(rest[0], given, depth)
    named = {kind.__name__.lower(): kind for kind in kinds}
    word = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(word, str) or word not in named:
        raise SchemaMismatch(f"{_described(given)} where a kind of {', '.join(named)} belongs")
    return _value(named[word], given, depth)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _described(given: Any) -> str:
    if isinstance(given, dict):
        return "an object"
    return f"a list of {len(given)}" if isinstance(given, list) else repr(given)[:40]
