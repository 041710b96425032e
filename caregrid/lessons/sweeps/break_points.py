"""Where an answer changes along a number line, as fractions.

The answer is asked at the ends of equal parts; where two neighbours differ, the part is halved until the simplest
fraction left between them is the break point: close below it the answer is the lower one, close above the upper one.
An irrational one is given to `FINEST` of the range. Not seen are two break points within one part between whose ends
the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

FINEST, CLOSE = Fraction(1, 2**30), Fraction(1, 2**10)


def break_points(answer: Callable[[Fraction], Any], low: Fraction, high: Fraction, parts: int) -> list[Fraction]:
    """Every break point found from low to high, ascending. answer: equal results are one behaviour."""
    ends = [low + (high - low) * number / parts for number in range(parts + 1)]
    known = [(end, answer(end)) for end in ends]
    finest = FINEST * (high - low)
    return sorted({point for sides in pairwise(known) for point in _between(answer, *sides, finest)})


def _between(
    answer: Callable[[Fraction], Any], left: tuple[Fraction, Any], right: tuple[Fraction, Any], finest: Fraction
) -> list[Fraction]:
    """The break points from the left value to the right one, each given with its behaviour."""
    (low, below), (high, above) = left, right
    if below == above:
        return []
    simplest, close = simplest_fraction(low, high), CLOSE * (high - low)
    before = below if simplest - close < low else answer(simplest - close)
    after = above if simplest + close > high else answer(simplest + close)
    if high - low <= finest or (before == below and after == above):
        return [simplest]
    middle = (low + high) / 2
    between = middle, answer(middle)
    return [*_between(answer, left, between, finest), *_between(answer, between, right, finest)]


def simplest_fraction(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator from low to high, both included; of several the one nearest to 0."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_fraction(-high, -low)
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / simplest_fraction(1 / (high - floor), 1 / (low - floor))
