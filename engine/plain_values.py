"""Values as Python's own and as JSON can hold them: numpy's scalars, fractions, nan and infinity in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from engine.limits.exact_numbers import rational_text


def python_value(value: Any) -> Any:
    """Python's own number for a scalar of numpy or torch; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def finite_or_none(number: float) -> float | None:
    """The number where it is finite, else None."""
    return number if math.isfinite(number) else None


def json_value(value: Any) -> Any:
    """A value as strict JSON can hold it.

    nan and infinity become None, fractions text such as "1/2", keys text, tuples and arrays lists, scalars of numpy
    Python's own numbers.
    """
    value = python_value(value)
    if isinstance(value, float):
        return finite_or_none(value)
    if isinstance(value, Fraction):
        return rational_text(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(entry) for entry in value]
    return json_value(value.tolist()) if hasattr(value, "tolist") else value


def number_text(number: float, digits: int = 4) -> str:
    """A number with so many significant digits, as people write them: 1235000 and 2e-5, never 1.235e+06."""
    text = f"{number:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return text
    return f"{float(text):.0f}" if 0 < int(exponent) < 7 else f"{mantissa}e{int(exponent)}"
