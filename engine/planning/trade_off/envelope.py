"""The upper envelope of lines  c -> own + c * auxiliary: which line is highest for which coefficients.

What counts as equal is a matter of the lines' own rounding errors, so that it depends neither on units nor on other
lines.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from engine.mdp.mdp import Floats
from engine.planning.trade_off.segment import Line

EQUAL = 1e-9
ROUNDING = 1e-14
LARGEST_DENOMINATOR = 100_000

Errors = Mapping[Line, Line]


def envelope(lines: Sequence[Line], errors: Errors | None = None) -> list[tuple[float, float, Line]]:
    """Upper envelope as (from, to, line), slopes ascending; a lone point of contact makes no segment.

    errors: bounds of the rounding errors of a line's two returns, by default relative to the returns.
    """
    known = errors or {}
    hull: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.auxiliary, line.own)):
        if hull and not is_steeper(hull[-1], line, known):
            if line.own <= hull[-1].own:
                continue
            hull.pop()
        while len(hull) > 1 and not rises_above(hull[-2], hull[-1], line, known):
            hull.pop()
        hull.append(line)
    starts = [_unrounded_crossing(left, right, known) for left, right in itertools.pairwise(hull)]
    return list(zip([-math.inf, *starts], [*starts, math.inf], hull, strict=True))


def is_steeper(flat: Line, steep: Line, errors: Errors) -> bool:
    """Whether the second line's slope is larger by more than rounding."""
    noise = _error(flat, errors).auxiliary + _error(steep, errors).auxiliary
    return steep.auxiliary - flat.auxiliary > noise


def rises_above(left: Line, middle: Line, right: Line, errors: Errors) -> bool:
    """Whether a line is higher than two others, of smaller and larger slope, where these meet."""
    meeting = crossing(left, right)
    gain = middle.at(meeting) - left.at(meeting)
    return gain > sum(_error(line, errors).at(abs(meeting)) for line in (left, middle, right))


def _error(line: Line, errors: Errors) -> Line:
    return errors.get(line, Line(ROUNDING * abs(line.own), ROUNDING * abs(line.auxiliary)))


def _unrounded_crossing(left: Line, right: Line, errors: Errors) -> float:
    """Where two lines meet, as a fraction of small denominator where rounding alone keeps them apart."""
    meeting = crossing(left, right)
    noise = (_error(left, errors).own + _error(right, errors).own) / (right.auxiliary - left.auxiliary)
    return unrounded(meeting, noise)


def unrounded(number: float, noise: float) -> float:
    """The fraction of small denominator that a number misses by at most `noise` or rounding; else the number itself."""
    simple = float(Fraction(number).limit_denominator(LARGEST_DENOMINATOR))
    return simple if abs(simple - number) <= max(noise, ROUNDING * abs(number)) else number


def crossing(flat: Line, steep: Line) -> float:
    """The coefficient at which two lines of different slope meet."""
    return (flat.own - steep.own) / (steep.auxiliary - flat.auxiliary)


def tied_lines(
    lines: Sequence[Line], returns: Floats, coefficient: float, top: Line, errors: Errors | None = None
) -> tuple[Line, ...]:
    """All lines through the envelope's point at a coefficient, by rising slope; none where there is but one.

    returns: f64[N, 2], the lines as an array. top: the line of the envelope that passes through the point and is
    counted last, unless a steeper one ties too. errors: as for `envelope`.
    """
    if not math.isfinite(coefficient):
        return ()
    owns, slopes = returns.T
    gap = np.abs(owns + coefficient * slopes - top.at(coefficient))
    tied = gap <= EQUAL * (np.abs(owns) + np.abs(coefficient * slopes))
    through = {top, *(lines[number] for number in map(int, np.flatnonzero(tied)))}
    known, different = errors or {}, list[Line]()
    for line in sorted(through, key=lambda line: (line.auxiliary, line.own)):
        if different and not is_steeper(different[-1], line, known):
            different[-1] = line if line == top else different[-1]
        else:
            different.append(line)
    return tuple(different) if len(different) > 1 else ()
