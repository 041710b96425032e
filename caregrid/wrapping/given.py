"""What users give, checked: numbers within bounds, texts, functions; BadValue names the setting and what it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from engine.errors import BadValue
from engine.printable import shown_value
from engine.value_types import is_number

LARGEST_WHOLE = 10**9


def whole_number(value: Any, name: str, least: int, most: int = LARGEST_WHOLE, place: str = "wrap") -> int:
    """An integer from `least` to `most`."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        refuse_setting(name, value, f"a whole number from {least} to {most}", place)
    return int(value)


def real_number(value: Any, name: str, least: float = -math.inf, most: float = math.inf, place: str = "wrap") -> float:
    """A finite number from `least` to `most`."""
    if not is_number(value) or not math.isfinite(value) or not least <= value <= most:
        bounds = f" from {least:g} to {most:g}" if math.isfinite(least) else ""
        refuse_setting(name, value, f"a finite number{bounds}", place)
    return float(value)


def texts(value: Any, name: str) -> tuple[str, ...]:
    """Several texts."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        refuse_setting(name, value, "several texts, such as ('one', 'two')")
    for each in value:
        if not isinstance(each, str):
            refuse_setting(name, each, "texts")
    return tuple(value)


def whole_numbers(value: Any, name: str, most_entries: int) -> tuple[int, ...]:
    """One or several integers from 0 on."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | np.ndarray):
        refuse_setting(name, value, "whole numbers from 0 on, such as range(3)")
    if not 0 < len(value) <= most_entries:
        refuse_setting(name, f"{len(value)} numbers", f"1 to {most_entries} of them")
    return tuple(whole_number(each, name, 0, 2**63 - 1) for each in value)


def require_all(given: Any, kind: type, name: str, place: str = "wrap") -> None:
    """Several objects of one class."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        refuse_setting(name, given, f"several objects of the class {kind.__name__}", place)
    for each in given:
        if not isinstance(each, kind):
            refuse_setting(name, each, f"objects of the class {kind.__name__}", place)


def refuse_setting(name: str, value: Any, expected: str, place: str = "wrap") -> NoReturn:
    """Raise BadValue: `seeds is 3; expected whole numbers from 0 on`."""
    raise BadValue(f"{name} is {shown_value(value)}", place=place, remedy=f"expected {expected}")
