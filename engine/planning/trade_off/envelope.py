"""The upper envelope of lines  c -> own + c * auxiliary: which line is highest for which coefficients.

What counts as equal is a matter of the lines' own rounding errors, so that it depends neither on units nor on other
lines. Two coefficients count as one where they differ by EQUAL of themselves; lines tie at a coefficient where their
returns there, or at one that counts as the same, differ by no more than rounding.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from engine.planning.trade_off.segment import Line

EQUAL = 1e-9
ROUNDING = 1e-14
TIED = 4.0  # rounding errors at a break point, whose coefficient is rounded as well
LARGEST_DENOMINATOR, BY_CHANCE = 100_000, 1e-2


class Rounding(NamedTuple):
    """What rounding does to a line's two returns: how far off they may be, and what they are known to miss."""

    error: Line
    missed: Line = Line(0.0, 0.0)


Roundings = Mapping[Line, Rounding]


def envelope(lines: Sequence[Line], roundings: Roundings | None = None) -> list[tuple[float, float, Line]]:
    """Upper envelope as (from, to, line), slopes ascending; a lone point of contact makes no segment.

    roundings: of the lines; by default errors are relative to the returns.
    """
    known = roundings or {}
    hull: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.auxiliary, line.own)):
        if hull and not is_steeper(hull[-1], line, known):
            if line.own <= hull[-1].own:
                continue
            hull.pop()
        while len(hull) > 1 and not rises_above(hull[-2], hull[-1], line, known):
            hull.pop()
        hull.append(line)
    starts = [unrounded_crossing(left, right, known) for left, right in itertools.pairwise(hull)]
    return list(zip([-math.inf, *starts], [*starts, math.inf], hull, strict=True))


def is_steeper(flat: Line, steep: Line, roundings: Roundings) -> bool:
    """Whether the second line's slope is larger by more than rounding."""
    noise = _rounding(flat, roundings).error.auxiliary + _rounding(steep, roundings).error.auxiliary
    return difference(flat, steep, roundings).auxiliary > noise


def rises_above(left: Line, middle: Line, right: Line, roundings: Roundings) -> bool:
    """Whether a line is higher than two others, of smaller and larger slope, where these meet."""
    meeting = crossing(left, right, roundings)
    gain = difference(left, middle, roundings).at(meeting)
    return gain > sum(_rounding(line, roundings).error.at(abs(meeting)) for line in (left, middle, right))


def difference(one: Line, other: Line, roundings: Roundings) -> Line:
    """By how much the returns of the second line are larger, with what they miss by being rounded."""
    first, second = (_rounding(line, roundings).missed for line in (one, other))
    own = other.own - one.own + (second.own - first.own)
    return Line(own, other.auxiliary - one.auxiliary + (second.auxiliary - first.auxiliary))


def _rounding(line: Line, roundings: Roundings) -> Rounding:
    return roundings.get(line) or Rounding(Line(ROUNDING * abs(line.own), ROUNDING * abs(line.auxiliary)))


def unrounded_crossing(left: Line, right: Line, roundings: Roundings) -> float:
    """Where two lines meet, as a fraction of small denominator where rounding alone keeps them apart."""
    meeting = crossing(left, right, roundings)
    noise = _rounding(left, roundings).error.own + _rounding(right, roundings).error.own
    return unrounded(meeting, noise / difference(left, right, roundings).auxiliary)


def unrounded(number: float, noise: float) -> float:
    """The fraction of small denominator that a number misses by at most `noise` or rounding; else the number itself.

    A denominator is small where few numbers are so near to a fraction by chance: about q * q * noise of all numbers are
    that near to one of denominator q at most, and here this is at most BY_CHANCE.
    """
    near = max(noise, ROUNDING * abs(number))
    largest = min(LARGEST_DENOMINATOR, math.sqrt(BY_CHANCE / near)) if near else LARGEST_DENOMINATOR
    simple = float(Fraction(number).limit_denominator(max(int(largest), 1)))
    return simple if abs(simple - number) <= near else number


def crossing(flat: Line, steep: Line, roundings: Roundings | None = None) -> float:
    """The coefficient at which two lines of different slope meet. roundings: as for `envelope`."""
    more = difference(flat, steep, roundings or {})
    return -more.own / more.auxiliary


class Ties:
    """Which of some lines pass through a point of their envelope.

    They tie where their returns differ by no more than rounding at the coefficient, or at one that counts as the same.
    """

    def __init__(self, lines: Sequence[Line], roundings: Roundings | None = None) -> None:
        """roundings: as for `envelope`."""
        self._lines, self._known = lines, roundings or {}
        self._returns = np.array(lines)
        self._missed, self._errors = np.zeros_like(self._returns), ROUNDING * np.abs(self._returns)
        if self._known:
            self._missed = np.array([self._known[line].missed for line in lines])
            self._errors = np.array([self._known[line].error for line in lines])

    def at(self, coefficient: float, top: Line) -> tuple[Line, ...]:
        """All lines through the envelope's point at a coefficient, by rising slope; none where there is but one.

        top: the line of the envelope that passes through the point and is counted last, unless a steeper one ties too.
        """
        if not math.isfinite(coefficient):
            return ()
        error, missed = _rounding(top, self._known)
        more, weights = self._returns - top + (self._missed - missed), np.array([1.0, coefficient])
        noise = TIED * ((self._errors + error) @ np.abs(weights)) + EQUAL * np.abs(coefficient * more[:, 1])
        through = {top, *(self._lines[number] for number in map(int, np.flatnonzero(np.abs(more @ weights) <= noise)))}
        different = list[Line]()
        for line in sorted(through, key=lambda line: (line.auxiliary, line.own)):
            if different and not is_steeper(different[-1], line, self._known):
                different[-1] = line if line == top else different[-1]
            else:
                different.append(line)
        return tuple(different) if len(different) > 1 else ()
