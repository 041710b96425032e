"""The numbers that histories are made of: rational rewards, natural observations and actions, of bounded length.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Definition 1.

Choices:
- a float is refused as a reward, since 0.1 is not 1/10; so is a truth value as any number
- numbers have at most `MOST_DIGITS` digits, so that every history can be printed
"""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

from engine.errors import BadValue
from engine.limits.exact_numbers import MOST_DIGITS
from engine.limits.whole_numbers import decimal_digits
from engine.printable import shown_value

MOST_BITS = int(MOST_DIGITS / 0.30103)


def natural(value: Any, what: str) -> int:
    """The value as a natural number; BadValue, naming what it is (such as "action"), otherwise."""
    number = _integer(value)
    if number is None or number < 0:
        raise BadValue(f"{what} {_shown(value)} is not a natural number", remedy="give an integer from 0 on")
    _require_short(number, what)
    return number


def rational(value: Any, what: str = "reward") -> Fraction:
    """The value as a fraction; BadValue, naming what it is, unless it is an integer or a Fraction."""
    number = value if isinstance(value, Fraction) else _integer(value)
    if number is None:
        remedy = "give an integer or a Fraction, such as Fraction(1, 2)"
        raise BadValue(f"{what} {_shown(value)} is not a rational number", remedy=remedy)
    _require_short(max(abs(number.numerator), number.denominator), what)
    return Fraction(number)


def _integer(value: Any) -> int | None:
    """Python's integer; None for a truth value and for what is not an integer."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _require_short(number: int, what: str) -> None:
    if number.bit_length() > MOST_BITS:
        problem = f"{what} has about {decimal_digits(number):,} digits"
        raise BadValue(problem, remedy=f"use numbers of at most {MOST_DIGITS:,}")


def _shown(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"of about {decimal_digits(value):,} digits"
    return shown_value(value)
