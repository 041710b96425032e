"""A sweep as plain data: its segments, and in each the behaviour and polynomials of the quantity.

docs/live_page.md describes the format. Polynomials are fitted exactly, in fractions: of the lowest degree that agrees
with the answer at two more values.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from caregrid.lessons.sweeps.break_points import break_points
from caregrid.lessons.sweeps.live_sweep import LiveSweep, SweepAnswer
from engine.errors import BadValue
from engine.scene import Strip

FORMAT = "caregrid live sweep 1"
HIGHEST_DEGREE = 24


def sweep_data(sweep: LiveSweep) -> dict[str, Any]:
    """The data of a sweep; BadValue where a number is no polynomial between two break points."""
    answer = lru_cache(maxsize=None)(sweep.answer)
    return {
        "format": FORMAT,
        "quantity": sweep.quantity,
        "low": float(sweep.low),
        "high": float(sweep.high),
        "measure": sweep.measure,
        "legend": sweep.legend,
        "rows": list(sweep.rows) or None,
        "features": [{"glyph": glyph, "names": [name], "drawn": True} for glyph, name in sweep.features.items()],
        "segments": [_segment(sweep, answer, low, high) for low, high in _ranges(sweep, answer)],
    }


def _ranges(sweep: LiveSweep, answer: Callable[[Fraction], SweepAnswer]) -> list[tuple[Fraction, Fraction]]:
    """From break point to break point; a value at which alone something else is done is none."""
    points = break_points(lambda value: answer(value).behaviour, sweep.low, sweep.high, sweep.parts)
    inner = [point for point in points if sweep.low < point < sweep.high]
    found: list[tuple[Fraction, Fraction]] = []
    for low, high in pairwise([sweep.low, *inner, sweep.high]):
        same = found and answer((found[-1][0] + found[-1][1]) / 2).behaviour == answer((low + high) / 2).behaviour
        found[-1:] = [(found[-1][0], high)] if same else [*found[-1:], (low, high)]
    return found


def _segment(
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
        "numbers": {name: _polynomial(sweep, name, values, number(name)) for name in middle.numbers},
        "strips": [_strip(strip) for strip in middle.strips],
        "ways": dict(middle.ways),
        "series": dict(middle.series),
    }


def _strip(strip: Strip) -> dict[str, Any]:
    return {"name": strip.name, "ticks": [[tick.text, tick.role] for tick in strip.ticks]}


def _polynomial(
    sweep: LiveSweep, name: str, values: list[Fraction], number: Callable[[Fraction], Fraction]
) -> list[float]:
    """Coefficients, the constant first: Newton's divided differences, until two of them in a row are 0."""
    known: list[Fraction] = []
    coefficients: list[Fraction] = []
    basis = [Fraction(1)]
    zeros = 0
    for value in values:
        difference = (number(value) - _at(coefficients, value)) / _product(value, known)
        zeros = zeros + 1 if difference == 0 else 0
        coefficients = _sum(coefficients, [difference * each for each in basis])
        if zeros == 2:
            return [float(each) for each in _trimmed(coefficients)]
        basis = _sum([Fraction(0), *basis], [-value * each for each in basis])
        known.append(value)
    raise BadValue(
        f"'{name}' is no polynomial of {sweep.quantity}", place=sweep.label, remedy="make it part of the behaviour"
    )


def _at(coefficients: list[Fraction], value: Fraction) -> Fraction:
    total = Fraction(0)
    for coefficient in reversed(coefficients):
        total = total * value + coefficient
    return total


def _product(value: Fraction, known: list[Fraction]) -> Fraction:
    product = Fraction(1)
    for other in known:
        product *= value - other
    return product


def _sum(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    length = max(len(one), len(other))
    padded = [[*each, *[Fraction(0)] * (length - len(each))] for each in (one, other)]
    return [a + b for a, b in zip(*padded, strict=True)]


def _trimmed(coefficients: list[Fraction]) -> list[Fraction]:
    while len(coefficients) > 1 and coefficients[-1] == 0:
        coefficients = coefficients[:-1]
    return coefficients
