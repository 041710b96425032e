"""Annotations of plain types as rules: `float`, `Seed | None`, `tuple[float, float]`, and which values they allow.

A number may be any of Python's or numpy's; True and False are none. Whole numbers have the bounds that their annotation
says (`engine.limits.whole_numbers`). What may be an object is not a plain type and is checked where it is used.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable
from typing import Any

from engine.limits import whole_numbers
from engine.limits.effort import Effort
from engine.limits.whole_numbers import ANY, WholeNumbers

Rule = list[tuple[Callable[[Any], bool], str]]
"""Tests of a value, of which one must hold, each with the words for what it allows."""


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


_PLAIN: dict[str, tuple[Callable[[Any], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "int": (ANY.admit, f"a whole number from {ANY}"),
    "float": (is_number, "a number"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "Path": (_is_path, "a path"),
    "Effort": (lambda value: isinstance(value, Effort), "ASK_FIRST or ANY_EFFORT of engine.limits.effort"),
    "Literal[True]": (lambda value: value is True, "True"),
    "tuple[float, float]": (
        lambda value: (
            isinstance(value, tuple | list)
            and len(value) == 2
            and all(is_number(one) and not math.isnan(one) for one in value)
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


def rule_of(annotation: str) -> Rule:
    """What an annotation allows; nothing where it names more than plain types."""
    parts = [part.strip() for part in _ALIASES.get(annotation, annotation).split("|")]
    return [_PLAIN[part] for part in parts] if all(part in _PLAIN for part in parts) else []


def allows(rule: Rule, value: Any) -> bool:
    """Whether a value is what a rule allows; a rule without tests allows everything."""
    return not rule or any(fits(value) for fits, _ in rule)


def words_of(rule: Rule) -> str:
    """What a rule allows, in words."""
    return " or ".join(words for _, words in rule)
