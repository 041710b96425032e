"""Scenes as JSON values and back, driven by the type hints of `engine.scene`: what is not of the type is refused.

A named tuple is the list of its fields (trailing defaults may be left out), a data class an object with its class as
"kind". Sizes are bounded, numbers are finite, panels are nested a few levels at most.
"""

from __future__ import annotations

import dataclasses
import math
import types
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.plain_values import python_value

MOST_ITEMS = 1_000_000
MOST_ROWS = 2_000
MOST_LETTERS = 10_000
DEEPEST = 4
LARGEST_INTEGER = 10**9
Value = TypeVar("Value")
_KINDS = {str: "text", int: "integer", float: "number", bool: "truth value"}


class SchemaMismatch(ValueError):
    """A value that is not of the type it should be of."""


def to_json_value(value: Any) -> Any:
    """A scene or a part of one as lists, objects, numbers and strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if getattr(value, field.name) != field.default]
        plain = {name: to_json_value(getattr(value, name)) for name in names}
        return {"kind": type(value).__name__.lower(), **plain}
    if isinstance(value, tuple):
        return [to_json_value(item) for item in value]
    return python_value(value)


def from_json_value(kind: type[Value], plain: Any, depth: int = 0) -> Value:
    """The value of a type that a plain one describes. Raises WrongShape, saying what is wrong."""
    value: Value = _value(kind, plain, depth)
    return value


def _value(kind: Any, plain: Any, depth: int) -> Any:
    if kind in _KINDS:
        return _simple(kind, plain)
    if dataclasses.is_dataclass(kind):
        return _object(kind, plain, depth)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _named(kind, plain, depth)
    if get_origin(kind) is tuple:
        return _sequence(get_args(kind), plain, depth)
    if get_origin(kind) in (Union, types.UnionType):
        return _choice(get_args(kind), plain, depth)
    raise SchemaMismatch(f"a film holds no {kind}")


def _simple(kind: type, plain: Any) -> Any:
    if (
        kind is float
        and isinstance(plain, int | float)
        and not isinstance(plain, bool)
        and abs(plain) < 1e300
        and math.isfinite(plain)
    ):
        return float(plain)
    if kind is float or type(plain) is not kind:
        raise SchemaMismatch(f"{_shown(plain)} where a {_KINDS[kind]} belongs")
    if isinstance(plain, str) and len(plain) > MOST_LETTERS:
        raise SchemaMismatch(f"a text of {len(plain)} letters")
    if isinstance(plain, int) and abs(plain) > LARGEST_INTEGER:
        raise SchemaMismatch("an integer beyond all bounds")
    return plain


def _object(kind: Any, plain: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise SchemaMismatch(f"panels nested more than {DEEPEST} deep")
    if not isinstance(plain, dict):
        raise SchemaMismatch(f"{_shown(plain)} where an object belongs")
    hints = _hints(kind)
    unknown = sorted(set(plain) - set(hints) - {"kind"})
    if unknown:
        raise SchemaMismatch(f"unknown field '{unknown[0][:40]}' of a {kind.__name__.lower()}")
    values = {name: _value(hints[name], plain[name], depth + 1) for name in plain if name != "kind"}
    if "floor" in values and (len(values["floor"]) > MOST_ROWS or any(len(row) > MOST_ROWS for row in values["floor"])):
        raise SchemaMismatch(f"a floor of more than {MOST_ROWS} rows or columns")
    try:
        return kind(**values)
    except TypeError as error:
        raise SchemaMismatch(f"a {kind.__name__.lower()} lacks a field") from error


def _named(kind: Any, plain: Any, depth: int) -> Any:
    hints = list(_hints(kind).values())
    least = len(hints) - len(kind._field_defaults)
    if not isinstance(plain, list) or not least <= len(plain) <= len(hints):
        raise SchemaMismatch(f"{_shown(plain)} where the fields of a {kind.__name__.lower()} belong")
    return kind(*(_value(hint, item, depth) for hint, item in zip(hints, plain, strict=False)))


def _sequence(parts: tuple[Any, ...], plain: Any, depth: int) -> Any:
    if not isinstance(plain, list) or len(plain) > MOST_ITEMS:
        raise SchemaMismatch(f"{_shown(plain)} where a list of at most {MOST_ITEMS} items belongs")
    if parts[-1] is Ellipsis:
        return tuple(_value(parts[0], item, depth) for item in plain)
    if len(plain) != len(parts):
        raise SchemaMismatch(f"a list of {len(plain)} items where {len(parts)} belong")
    return tuple(_value(part, item, depth) for part, item in zip(parts, plain, strict=True))


def _choice(kinds: tuple[Any, ...], plain: Any, depth: int) -> Any:
    """One of several classes, told apart by "kind"; or a value that may be missing."""
    if types.NoneType in kinds:
        rest = [kind for kind in kinds if kind is not types.NoneType]
        return None if plain is None else _value(rest[0], plain, depth)
    named = {kind.__name__.lower(): kind for kind in kinds}
    word = plain.get("kind") if isinstance(plain, dict) else None
    if not isinstance(word, str) or word not in named:
        raise SchemaMismatch(f"{_shown(plain)} where a kind of {', '.join(named)} belongs")
    return _value(named[word], plain, depth)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _shown(plain: Any) -> str:
    if isinstance(plain, dict):
        return "an object"
    return f"a list of {len(plain)}" if isinstance(plain, list) else repr(plain)[:40]
