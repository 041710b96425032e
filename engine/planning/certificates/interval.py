"""Bounds of a number as two fractions, equal where the number is known exactly.

Arithmetic on fractions does not round; only `outward` does, away from the number.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

UNIT_ROUNDOFF = Fraction(1, 2**53)
FEW_BITS = 2**20
SIMPLE = 10**11
VERY_SIMPLE = 10**8
FEW_DIGITS = 12
FEWER_DIGITS = 10
MISSED_BY = 4  # units in the last place, by short sums and products


@dataclass(frozen=True)
class Interval:
    """lower <= number <= upper."""

    lower: Fraction
    upper: Fraction

    @property
    def exact(self) -> Fraction | None:
        """The number itself where the bounds meet, else None."""
        return self.lower if self.lower == self.upper else None

    def outward(self) -> tuple[float, float]:
        """Return the bounds as floats, rounded away from the number."""
        return _round_outward(self.lower, -math.inf), _round_outward(self.upper, math.inf)

    def error(self, value: float) -> float:
        """Return how far a computed value may be from the number, rounded up; 0 where it is the number itself."""
        if not math.isfinite(value):
            return math.inf
        here = Fraction(value)
        return _round_outward(max(self.upper - here, here - self.lower, Fraction(0)), math.inf)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.lower + other.lower, self.upper + other.upper)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.lower - other.upper, self.upper - other.lower)

    def __mul__(self, other: Interval) -> Interval:
        products = [a * b for a in (self.lower, self.upper) for b in (other.lower, other.upper)]
        return Interval(min(products), max(products))

    def over(self, other: Interval) -> Interval | None:
        """Return the quotient; None where the divisor may be 0."""
        if other.lower <= 0 <= other.upper:
            return None
        return self * Interval(1 / other.upper, 1 / other.lower)


def enclose_exactly(number: Fraction | int) -> Interval:
    """Return a number that is known."""
    return Interval(Fraction(number), Fraction(number))


def enclose_rounded(number: float) -> Interval:
    """Return all numbers that round to a float."""
    here = Fraction(number)
    slack = abs(here) * UNIT_ROUNDOFF
    return Interval(here - slack, here + slack)


def enclose_stored(number: float) -> Interval:
    """Return the fraction that was meant by a stored number, or all numbers that round to it."""
    meant = as_fraction(number)
    return enclose_rounded(number) if meant is None else enclose_exactly(meant)


def find_missing_part(number: float) -> float:
    """Return what a stored number lacks of the fraction that was meant; 0 where none is apparent."""
    meant = as_fraction(number)
    return 0.0 if meant is None else float(meant - Fraction(number))


def sum_weighted(terms: Iterable[tuple[Interval, Interval]]) -> Interval:
    """Return the sum of products."""
    return sum((one * other for one, other in terms), enclose_exactly(0))


@functools.lru_cache(maxsize=1 << 16)
def as_fraction(number: float) -> Fraction | None:
    """A stored number as the fraction that was meant, 1/10 for .1 and 1/3 for .333...; None where none is apparent.

    Of the fractions that round to it, the simplest one if it is simple; or the simplest one that a short sum or product
    may have missed by rounding, if it is very simple; or its digits, binary or decimal, if few; or fewer decimal digits
    that a short sum or product may have missed, as .9999 x 46 does. Numbers of full length are hardly ever taken for
    fractions: those of numerator p and denominator q lie within half a unit in the last place of one number in
    10^16 / (p q), ten decimal digits within four units of one number in 10^5.
    """
    here = Fraction(number)
    if here.denominator == 1 or abs(here.numerator) <= FEW_BITS:
        return here
    for units, most in ((0.5, SIMPLE), (MISSED_BY, VERY_SIMPLE)):
        slack = Fraction(math.ulp(number)) * Fraction(units)
        simple = _find_simplest_between(abs(here) - slack, abs(here) + slack)
        if simple.numerator * simple.denominator <= most:
            return simple if number > 0 else -simple
    digits = repr(number)
    if sum(map(str.isdigit, digits.partition("e")[0])) <= FEW_DIGITS:
        return Fraction(digits)
    shorter = Fraction(f"{number:.{FEWER_DIGITS - 1}e}")
    return shorter if abs(shorter - here) <= MISSED_BY * Fraction(math.ulp(number)) else None


def _find_simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of smallest denominator strictly between two positive fractions."""
    parts: list[int] = []
    while True:
        floor = low.numerator // low.denominator
        if floor + 1 < high:
            parts.append(floor + 1)
            break
        parts.append(floor)
        if low == floor:  # strictly above an integer, below or at the next one
            steps = 1 / (high - floor)
            parts.append(steps.numerator // steps.denominator + 1)
            break
        low, high = 1 / (high - floor), 1 / (low - floor)
    result = Fraction(parts[-1])
    for part in reversed(parts[:-1]):
        result = part + 1 / result
    return result


def _round_outward(number: Fraction, towards: float) -> float:
    """Return the nearest float on one side."""
    try:
        nearest = float(number)
    except OverflowError:
        return math.copysign(math.inf, number.numerator)
    wrong = Fraction(nearest) < number if towards > 0 else Fraction(nearest) > number
    return math.nextafter(nearest, towards) if math.isfinite(nearest) and wrong else nearest
