"""Values as people write them and as JSON can hold them: exact rational numbers, numpy's scalars, nan and infinity.

Exact rational numbers are of bounded length both ways. "2/5", "0.4" and "4e-1" are one number. A text that stands for
a number of more than `MOST_DIGITS` digits is refused before the number is made: "1e-100000000" is short and its
denominator is not. `make_json_value` turns any value into what strict JSON can hold.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from engine.errors import BadValue
from engine.printable import shorten, show_value
from engine.value_types import ValueType, count_decimal_digits, show_number

MOST_DIGITS = 1000
PRINTED_DIGITS = 4000
"""Python prints integers of up to 4300 digits."""
_EXPONENT = re.compile(r"[eE]([-+]?[0-9]+)\s*$")


def parse_rational(value: object, name: str = "number", place: str = "", remedy: str = "write p/q") -> Fraction:
    """Return the number that a user wrote; a float counts as its shortest decimal form, so that 0.1 is 1/10.

    value: text, int, Fraction or float. name, place, remedy: for messages. Raises BadValue for everything that is no
    finite number, and for numbers of more than `MOST_DIGITS` digits.
    """
    if isinstance(value, Fraction):
        return value
    text = _read_text(value)
    digits = _count_digits(text)
    if digits > MOST_DIGITS:
        problem = f"{name} '{shorten(text, 23)}' has {digits:,} digits"
        raise BadValue(problem, place=place, remedy=f"write it with at most {MOST_DIGITS:,}")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise BadValue(f"{name} '{shorten(text, 80)}' is not a fraction", place=place, remedy=remedy) from error


def _read_text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * MOST_DIGITS:
        return "9" * count_decimal_digits(value)
    return str(value) if isinstance(value, str | numbers.Number) else show_value(value)


def _count_digits(text: str) -> int:
    """Return how many digits the number has at most, numerator and denominator together."""
    exponent = _EXPONENT.search(text)
    if exponent is None:
        return sum(character.isdecimal() for character in text)
    power = exponent.group(1).lstrip("+-").lstrip("0") or "0"
    shift = int(power) if len(power) <= 18 else 10**18
    return shift + sum(character.isdecimal() for character in text[: exponent.start()])


def write_rational(number: Fraction | int) -> str:
    """Return a number as "p/q"; BadValue, with its length, where it has too many digits to be printed."""
    digits = max(count_decimal_digits(number.numerator), count_decimal_digits(number.denominator))
    if digits > PRINTED_DIGITS:
        raise BadValue(f"the exact number has about {digits:,} digits", remedy="ask for floats, or for fewer steps")
    return str(number)


def make_python_value(value: Any) -> Any:
    """Python's own number for a scalar of numpy or torch; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def finite_or_none(number: float) -> float | None:
    """Return the number where it is finite, else None."""
    return number if math.isfinite(number) else None


def make_json_value(value: Any) -> Any:
    """Return a value as strict JSON can hold it.

    nan and infinity become None, fractions text such as "1/2", keys text, tuples and arrays lists, scalars of numpy
    Python's own numbers.
    """
    value = make_python_value(value)
    if isinstance(value, float):
        return finite_or_none(value)
    if isinstance(value, Fraction):
        return write_rational(value)
    if isinstance(value, Mapping):
        return {str(key): make_json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [make_json_value(entry) for entry in value]
    return make_json_value(value.tolist()) if hasattr(value, "tolist") else value


def write_number(number: float, digits: int = 4) -> str:
    """Return a number with so many significant digits, as people write them: 1235000 and 2e-5, never 1.235e+06."""
    text = f"{number:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return text
    return f"{float(text):.0f}" if 0 < int(exponent) < 7 else f"{mantissa}e{int(exponent)}"


def _is_discount(value: object) -> bool:
    """Return whether a value is a number from 0 to 1; of one with too many digits, `parse_rational` says so."""
    if not isinstance(value, str | numbers.Number):
        return False
    try:
        return _count_digits(_read_text(value)) > MOST_DIGITS or 0 <= parse_rational(value) <= 1
    except BadValue:
        return False


def _read_discount(text: str) -> Fraction:
    if not _is_discount(text):
        raise ValueError(text)
    return parse_rational(text, "discount")


ExactDiscount = Annotated[
    str | float | Fraction, ValueType("a number from 0 to 1", _is_discount, _read_discount, "P/Q", shown=show_number)
]
"""A discount that is computed with as a fraction: "1/2", 0.5 or a `Fraction`."""
