"""Answers along a number line: what a world's agents do at each value of one quantity, exactly, for the live page.

The answer is asked at the ends of equal parts; where two neighbours differ, the part is halved until the simplest
fraction left between them is the break point: close below it the answer is the lower one, close above the upper one.
An irrational one is located to `FINEST` of the range. Not seen are two break points within one part between whose
ends the answer is the same.

docs/live_page.md describes the format: segments, and in each the behaviour and polynomials of the quantity.
Polynomials are fitted exactly, in fractions: of the lowest degree that agrees with the answer at two more values. The
answers themselves are in `caregrid.programmes`, by programme.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from caregrid.programmes.programme import Live, SweepAnswer
from engine.errors import BadValue
from engine.scene import Strip


@dataclass(frozen=True)
class LiveSweep(Live):
    """A question whose answer depends on one quantity.

    label: its name among several. quantity: what is moved, from low to high. answer: what happens at a value of it.
    parts: equal parts in which break points are looked for; two within one part are found where a third behaviour lies
    between them. measure: what its numbers are. legend: what the signs mean. rows, features: the map of the
    ways, and the name of each glyph drawn on it.
    """

    label: str
    quantity: str
    low: Fraction
    high: Fraction
    answer: Callable[[Fraction], SweepAnswer]
    measure: str
    legend: str
    parts: int = 32
    rows: tuple[str, ...] = ()
    features: Mapping[str, str] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """Return the segments of the quantity, with their behaviours and polynomials."""
        return write_sweep(self)


FINEST, CLOSE = Fraction(1, 2**30), Fraction(1, 2**10)


def find_break_points(answer: Callable[[Fraction], Any], low: Fraction, high: Fraction, parts: int) -> list[Fraction]:
    """Return every break point found from low to high, ascending. answer: equal results are one behaviour."""
    ends = [low + (high - low) * number / parts for number in range(parts + 1)]
    answered = [(end, answer(end)) for end in ends]
    finest = FINEST * (high - low)
    return sorted({point for sides in pairwise(answered) for point in _find_between(answer, *sides, finest)})


def _find_between(
    answer: Callable[[Fraction], Any], left: tuple[Fraction, Any], right: tuple[Fraction, Any], finest: Fraction
) -> list[Fraction]:
    """Return the break points from the left value to the right one, each given with its behaviour."""
    (low, below), (high, above) = left, right
    if below == above:
        return []
    simplest = find_simplest_fraction(low, high)
    close = CLOSE * (high - low)
    before = below if simplest - close < low else answer(simplest - close)
    after = above if simplest + close > high else answer(simplest + close)
    if high - low <= finest or (before == below and after == above):
        return [simplest]
    middle = (low + high) / 2
    between = middle, answer(middle)
    return [*_find_between(answer, left, between, finest), *_find_between(answer, between, right, finest)]


def find_simplest_fraction(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator from low to high, both included; of several the one nearest to 0."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -find_simplest_fraction(-high, -low)
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / find_simplest_fraction(1 / (high - floor), 1 / (low - floor))


SWEEP_FORMAT = "caregrid live sweep 1"
HIGHEST_DEGREE = 24


def write_sweep(sweep: LiveSweep) -> dict[str, Any]:
    """Return the data of a sweep; BadValue where a number is no polynomial between two break points."""
    answer = lru_cache(maxsize=None)(sweep.answer)
    return {
        "format": SWEEP_FORMAT,
        "quantity": sweep.quantity,
        "low": float(sweep.low),
        "high": float(sweep.high),
        "measure": sweep.measure,
        "legend": sweep.legend,
        "rows": list(sweep.rows) or None,
        "features": [{"glyph": glyph, "names": [name], "drawn": True} for glyph, name in sweep.features.items()],
        "segments": [_write_segment(sweep, answer, low, high) for low, high in _find_ranges(sweep, answer)],
    }


def _find_ranges(sweep: LiveSweep, answer: Callable[[Fraction], SweepAnswer]) -> list[tuple[Fraction, Fraction]]:
    """From break point to break point; a value at which alone something else is done is none."""
    points = find_break_points(lambda value: answer(value).behaviour, sweep.low, sweep.high, sweep.parts)
    inner = [point for point in points if sweep.low < point < sweep.high]
    found: list[tuple[Fraction, Fraction]] = []
    for low, high in pairwise([sweep.low, *inner, sweep.high]):
        same = found and answer((found[-1][0] + found[-1][1]) / 2).behaviour == answer((low + high) / 2).behaviour
        found[-1:] = [(found[-1][0], high)] if same else [*found[-1:], (low, high)]
    return found


def _write_segment(
    sweep: LiveSweep, answer: Callable[[Fraction], SweepAnswer], low: Fraction, high: Fraction
) -> dict[str, Any]:
    values = [low + (high - low) * number / (HIGHEST_DEGREE + 4) for number in range(1, HIGHEST_DEGREE + 4)]
    middle = answer((low + high) / 2)

    def number(name: str) -> Callable[[Fraction], Fraction]:
        return lambda value: answer(value).numbers[name]

    return {
        "from": float(low),
        "to": float(high),
        "does": middle.does,
        "numbers": {name: _fit_polynomial(sweep, name, values, number(name)) for name in middle.numbers},
        "strips": [_write_strip(strip) for strip in middle.strips],
        "ways": dict(middle.ways),
        "series": dict(middle.series),
    }


def _write_strip(strip: Strip) -> dict[str, Any]:
    return {"name": strip.name, "ticks": [[tick.text, tick.role] for tick in strip.ticks]}


def _fit_polynomial(
    sweep: LiveSweep, name: str, values: list[Fraction], number: Callable[[Fraction], Fraction]
) -> list[float]:
    """Coefficients, the constant first: Newton's divided differences, until two of them in a row are 0."""
    roots: list[Fraction] = []
    coefficients: list[Fraction] = []
    basis = [Fraction(1)]
    zeros = 0
    for value in values:
        difference = (number(value) - _evaluate(coefficients, value)) / _multiply_roots(value, roots)
        zeros = zeros + 1 if difference == 0 else 0
        coefficients = _add(coefficients, [difference * coefficient for coefficient in basis])
        if zeros == 2:
            return [float(coefficient) for coefficient in _trim(coefficients)]
        basis = _add([Fraction(0), *basis], [-value * coefficient for coefficient in basis])
        roots.append(value)
    raise BadValue(
        f"'{name}' is no polynomial of {sweep.quantity}", place=sweep.label, remedy="make it part of the behaviour"
    )


def _evaluate(coefficients: list[Fraction], value: Fraction) -> Fraction:
    total = Fraction(0)
    for coefficient in reversed(coefficients):
        total = total * value + coefficient
    return total


def _multiply_roots(value: Fraction, roots: list[Fraction]) -> Fraction:
    product = Fraction(1)
    for other in roots:
        product *= value - other
    return product


def _add(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    length = max(len(one), len(other))
    padded = [[*polynomial, *[Fraction(0)] * (length - len(polynomial))] for polynomial in (one, other)]
    return [a + b for a, b in zip(*padded, strict=True)]


def _trim(coefficients: list[Fraction]) -> list[Fraction]:
    while len(coefficients) > 1 and coefficients[-1] == 0:
        coefficients = coefficients[:-1]
    return coefficients
