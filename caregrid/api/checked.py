"""Arguments of the wrong type are refused in one line, by a function's own annotations, before anything is done.

A parameter is looked at where its annotation is made of plain types alone: `float`, `Seed | None`, `str | Path`,
`tuple[float, float]` ... What may be an object is checked where it is used. A number may be any of Python's or numpy's;
True and False are none. Whole numbers have the bounds that their annotation says (`engine.limits.whole_numbers`), and
`**options: Unpack[RunOptions]` those of that class.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from engine.errors import BadValue
from engine.limits import whole_numbers
from engine.limits.whole_numbers import ANY, WholeNumbers

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return float(value) is not None
    except OverflowError:
        return False


_PLAIN: dict[str, tuple[Callable[[Any], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "int": (ANY.admit, f"a whole number from {ANY}"),
    "float": (_is_number, "a number"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "Path": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Literal[True]": (lambda value: value is True, "True"),
    "tuple[float, float]": (
        lambda value: (
            isinstance(value, tuple | list)
            and len(value) == 2
            and all(_is_number(one) and not math.isnan(one) for one in value)
        ),
        "two numbers",
    ),
}
_PLAIN |= {
    name: (bounds.admit, f"a whole number from {bounds}")
    for name, kind in vars(whole_numbers).items()
    for bounds in getattr(kind, "__metadata__", ())
    if isinstance(bounds, WholeNumbers)
}
_ALIASES = {"Place": "str | Path | Literal[True] | None"}


def checked(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, refusing arguments whose plain type is not the annotated one: BadValue names the parameter."""
    signature = inspect.signature(function)
    annotations = {name: str(one.annotation) for name, one in signature.parameters.items()}
    several = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), None)
    if several is not None:
        annotations |= _unpacked(annotations.pop(several), function)
    rules = {name: rule for name, annotation in annotations.items() if (rule := _rule(annotation))}

    @functools.wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        given = signature.bind(*arguments, **named).arguments
        for name, value in (given | given.get(several or "", {})).items():
            if name in rules and not any(fits(value) for fits, _ in rules[name]):
                expected = " or ".join(words for _, words in rules[name])
                raise BadValue(f"{name} is {_shown(value)}", place=function.__name__, remedy=f"give {expected}")
        return function(*arguments, **named)

    return call


def _unpacked(annotation: str, function: Callable[..., Any]) -> dict[str, str]:
    """The annotations of the class in `Unpack[CLASS]`, by name; none where the annotation says something else."""
    named = annotation.removeprefix("Unpack[").removesuffix("]")
    unpacked = getattr(getattr(function, "__globals__", {}).get(named), "__annotations__", {})
    return {name: getattr(kind, "__forward_arg__", str(kind)) for name, kind in unpacked.items()}


def _rule(annotation: str) -> list[tuple[Callable[[Any], bool], str]]:
    """What an annotation allows; nothing where it names more than plain types."""
    parts = [part.strip() for part in _ALIASES.get(annotation, annotation).split("|")]
    return [_PLAIN[part] for part in parts] if all(part in _PLAIN for part in parts) else []


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:37]}..."
