"""What users may give: one type for each kind of value, which reads it, checks it, names it and describes it as JSON.

    turns: HistoryTurns                     a whole number from 1 to 1000
    method: Literal["exact", "both"]        one of these words
    discount: float | None                  a number, or None
    care: Annotated[..., COEFFICIENTS]      a type of one's own

An annotation says what a parameter takes. The same type reads the word of a command line and checks the argument of a
Python function, so that a wrong value gets the same sentence at both doors: "turns is 0; give a whole number from 1 to
1000". Annotations that name other classes stand for objects, which are checked where they are used.
"""

from __future__ import annotations

import builtins
import math
import numbers
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from engine.bounds import ANY, WholeNumbers, show_whole_number
from engine.errors import BadValue, did_you_mean
from engine.printable import LONGEST_WORD, shorten, show_value


@dataclass(frozen=True)
class ValueType:
    """One kind of value.

    words: what is allowed, such as "a number". admits: whether a value is of this kind. read: the value that a word of
    the command line stands for; it raises ValueError, or a CaregridError that says more. metavar: what stands for it
    in help. schema: the values as a JSON Schema. shown: a wrong value, for messages.
    """

    words: str
    admits: Callable[[Any], bool]
    read: Callable[[str], Any] = str
    metavar: str = "X"
    schema: Mapping[str, Any] = field(default_factory=dict)
    shown: Callable[[Any], str] = show_value


def is_number(value: Any) -> bool:
    """Whether a value is a number of Python's or numpy's that a float can hold; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return float(value) is not None
    except Exception:  # too large, or a class of a user's own
        return False


def _is_path(value: Any) -> bool:
    try:
        return isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
    except Exception:  # a class of a user's own
        return False


def _is_pair(value: Any) -> bool:
    pair = isinstance(value, tuple | list) and len(value) == 2
    return pair and all(is_number(one) and not math.isnan(one) for one in value)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text.strip() else ()


def whole_number(bounds: WholeNumbers) -> ValueType:
    """The whole numbers within bounds."""

    def read(text: str) -> int:
        number = int(text)
        if not bounds.admit(number):
            raise ValueError(text)
        return number

    limits = {"minimum": bounds.least, "maximum": bounds.most}
    return ValueType(
        f"a whole number from {bounds}", bounds.admit, read, "N", {"type": "integer", **limits}, show_whole_number
    )


def one_of(choices: Sequence[str]) -> ValueType:
    """One word of a few; "-" and "_" are the same."""

    def read(text: str) -> str:
        chosen = text.strip().replace("-", "_")
        if chosen not in choices:
            raise BadValue(f"'{shorten(text, LONGEST_WORD)}'", remedy=did_you_mean(text, choices))
        return chosen

    words = f"one of {', '.join(choices)}"
    return ValueType(words, lambda value: value in choices, read, "{" + ",".join(choices) + "}", {"enum": [*choices]})


NOTHING = ValueType("None", lambda value: value is None, schema={"type": "null"})
FLAG = ValueType("True or False", lambda value: isinstance(value, bool), schema={"type": "boolean"})
TRUE = ValueType("True", lambda value: value is True, schema={"const": True})
NUMBER = ValueType("a number", is_number, float, schema={"type": "number"})
TEXT = ValueType("a text", lambda value: isinstance(value, str), metavar="TEXT", schema={"type": "string"})
PATH = ValueType("a path", _is_path, Path, "FILE", {"type": "string"})
TWO_NUMBERS = ValueType("two numbers", _is_pair, schema={"type": "array", "items": {"type": "number"}})
NAMES = ValueType("names", lambda value: True, _split_names, "NAME,NAME,...")
"""Names joined by commas on the command line; what Python callers give is checked where it is used."""

_PLAIN: dict[Any, ValueType] = {
    None: NOTHING,
    types.NoneType: NOTHING,
    bool: FLAG,
    int: whole_number(ANY),
    float: NUMBER,
    str: TEXT,
    Path: PATH,
}


def value_types(annotation: Any) -> tuple[ValueType, ...]:
    """The types of an annotation, of which a value must be one; none where it names an object."""
    if isinstance(annotation, type | None) and annotation in _PLAIN:
        return (_PLAIN[annotation],)
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        own = [part for part in parts[1:] if isinstance(part, ValueType)]
        bounds = [whole_number(part) for part in parts[1:] if isinstance(part, WholeNumbers)]
        return tuple(own or bounds) or value_types(parts[0])
    if origin in (types.UnionType, Union):
        each = [value_types(part) for part in parts]
        return tuple(one for several in each for one in several) if all(each) else ()
    if origin is Literal:
        return (TRUE,) if parts == (True,) else (one_of(parts),)
    return (TWO_NUMBERS,) if annotation == tuple[float, float] else ()


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function or class, evaluated; a name that only a type checker imports is an object."""
    places = {**vars(builtins), **getattr(function, "__globals__", {}), **_globals_of_class(function)}
    names = _Names(places)
    return {name: _evaluated(kind, names) for name, kind in getattr(function, "__annotations__", {}).items()}


def _evaluated(annotation: Any, names: _Names) -> Any:
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        return annotation
    try:
        return eval(text, {"__builtins__": {}}, names)  # of code that is imported already, ours or a user's own
    except Exception:
        return AnObject


def _globals_of_class(thing: Any) -> Mapping[str, Any]:
    return vars(sys.modules[thing.__module__]) if isinstance(thing, type) and thing.__module__ in sys.modules else {}


class _Unknown(type):
    """A class that is not imported: any attribute and any parameters of it are unknown, too."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, parameters: Any) -> Any:
        return cls


class AnObject(metaclass=_Unknown):
    """What stands for a class that annotations name and that is not imported."""


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return AnObject


def check(name: str, value: Any, allowed: Sequence[ValueType], place: str = "") -> None:
    """BadValue, naming the parameter, unless a value is of one of the types; no types allow everything."""
    if allowed and not any(kind.admits(value) for kind in allowed):
        raise wrong_value(name, value, allowed, place)


def read(name: str, text: str, allowed: Sequence[ValueType], place: str = "") -> Any:
    """The value that a word stands for, of the first type that can read it. BadValue names the option if none can."""
    for kind in allowed:
        if kind in (NOTHING, TRUE, FLAG):
            continue
        try:
            return kind.read(text)
        except BadValue as error:
            raise BadValue(f"{name} is {error.problem}", place=place, remedy=error.remedy) from None
        except (ValueError, OverflowError):
            continue
    if not allowed:
        return text
    raise wrong_value(name, _number_or_text(text), [kind for kind in allowed if kind is not NOTHING], place)


def wrong_value(name: str, value: Any, allowed: Sequence[ValueType], place: str = "") -> BadValue:
    """What is said of a wrong value, at the command line and in Python alike."""
    shown_as = allowed[0].shown(value)
    return BadValue(f"{name} is {shown_as}", place=place, remedy=f"give {words_of(allowed)}")


def words_of(allowed: Sequence[ValueType]) -> str:
    """What types allow, in words."""
    return " or ".join(dict.fromkeys(kind.words for kind in allowed))


def _number_or_text(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text
