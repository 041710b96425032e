"""All rationals in a sequence without repetition: 0, 1, -1, 1/2, -1/2, 2, -2, 1/3, -1/3, 3/2, ...

    q_0 = 0,   q_{2k-1} = c_k,   q_{2k} = -c_k,   c_1, c_2, ... = 1, 1/2, 2, 1/3, 3/2, 2/3, 3, ...

c_k is the k-th fraction of the Calkin-Wilf tree: k's binary digits after the first, read from the front, lead from 1
to it, 0 from a/b to a/(a + b) and 1 to (a + b)/b. N. Calkin, H. Wilf, "Recounting the rationals", 2000.

Choices:
- a number whose place in the sequence has more than `MOST_DIGITS` digits is refused: an integer m comes at about 2^m
"""

from __future__ import annotations

from fractions import Fraction

from engine.errors import BadValue
from engine.limits.exact_numbers import MOST_DIGITS
from xenv.theory.numbers import MOST_BITS


def rational_at(place: int) -> Fraction:
    """The rational at a place, 0, 1, ..., of the sequence."""
    if place == 0:
        return Fraction(0)
    numerator = denominator = 1
    for digit in bin((place + 1) // 2)[3:]:
        if digit == "0":
            denominator += numerator
        else:
            numerator += denominator
    return Fraction(numerator if place % 2 else -numerator, denominator)


def place_of_rational(number: Fraction) -> int:
    """The place of a rational in the sequence; BadValue where it is too long a number."""
    if number == 0:
        return 0
    numerator, denominator, place, length = abs(number.numerator), number.denominator, 0, 0
    while numerator != denominator:
        # a run of equal digits at a time: the quotient of Euclid's algorithm
        digit = int(numerator > denominator)
        greater, less = max(numerator, denominator), min(numerator, denominator)
        run = (greater - 1) // less
        if length + run + 2 > MOST_BITS:
            raise BadValue(
                "the place of a reward among all rationals is too long a number",
                place="enumeration of the rationals",
                remedy=f"use rewards whose place has at most {MOST_DIGITS:,} digits, such as small integers",
            )
        place |= (((1 << run) - 1) << length) * digit
        length += run
        numerator, denominator = (greater - run * less, less) if digit else (less, greater - run * less)
    counted = place | (1 << length)
    return 2 * counted - 1 if number > 0 else 2 * counted
