"""Exact rational numbers as people write them, of bounded length both ways.

"2/5", "0.4" and "4e-1" are one number. A text that stands for a number of more than `MOST_DIGITS` digits is refused
before the number is made: "1e-100000000" is short and its denominator is not.
"""

from __future__ import annotations

import numbers
import re
from fractions import Fraction

from engine.errors import BadValue
from engine.limits.whole_numbers import decimal_digits
from engine.printable import shortened, shown_value

MOST_DIGITS = 1000
PRINTED_DIGITS = 4000
"""Python prints integers of up to 4300 digits."""
_EXPONENT = re.compile(r"[eE]([-+]?[0-9]+)\s*$")


def parse_rational(value: object, name: str = "number", place: str = "", remedy: str = "write p/q") -> Fraction:
    """The number that a user wrote; a float counts as its shortest decimal form, so that 0.1 is 1/10.

    value: text, int, Fraction or float. name, place, remedy: for messages. Raises BadValue for everything that is no
    finite number, and for numbers of more than `MOST_DIGITS` digits.
    """
    if isinstance(value, Fraction):
        return value
    text = _text_of(value)
    digits = _digits(text)
    if digits > MOST_DIGITS:
        problem = f"{name} '{shortened(text, 23)}' has {digits:,} digits"
        raise BadValue(problem, place=place, remedy=f"write it with at most {MOST_DIGITS:,}")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise BadValue(f"{name} '{shortened(text, 80)}' is not a fraction", place=place, remedy=remedy) from error


def _text_of(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * MOST_DIGITS:
        return "9" * decimal_digits(value)
    return str(value) if isinstance(value, str | numbers.Number) else shown_value(value)


def _digits(text: str) -> int:
    """How many digits the number has at most, numerator and denominator together."""
    exponent = _EXPONENT.search(text)
    if exponent is None:
        return sum(character.isdecimal() for character in text)
    power = exponent.group(1).lstrip("+-").lstrip("0") or "0"
    shift = int(power) if len(power) <= 18 else 10**18
    return shift + sum(character.isdecimal() for character in text[: exponent.start()])


def rational_text(number: Fraction | int) -> str:
    """A number as "p/q"; BadValue, with its length, where it has too many digits to be printed."""
    digits = max(decimal_digits(number.numerator), decimal_digits(number.denominator))
    if digits > PRINTED_DIGITS:
        raise BadValue(f"the exact number has about {digits:,} digits", remedy="ask for floats, or for fewer steps")
    return str(number)
