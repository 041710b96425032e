"""The range of coefficients that is asked for, and what of an upper envelope lies in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from engine.errors import BadValue
from engine.planning.trade_off.envelope import EQUAL, LARGEST_DENOMINATOR
from engine.planning.trade_off.segment import Line, Segment

Range = tuple[float, float]
EVERYWHERE: Range = (-math.inf, math.inf)


def checked_range(between: Range, place: str = "between") -> Range:
    """(low, high) as floats, low = high for one coefficient. BadValue where it is nan, reversed or a lone infinity."""
    low, high = float(between[0]), float(between[1])
    if math.isnan(low) or math.isnan(high):
        raise BadValue(f"coefficients from {low} to {high}", place=place, remedy="give numbers; inf for no bound")
    if low > high:
        raise BadValue(f"coefficients from {low} to {high}: empty", place=place, remedy="give the lower one first")
    if low == math.inf or high == -math.inf:
        raise BadValue(f"coefficients from {low} to {high}: empty", place=place, remedy="choose a finite bound")
    return low, high


def pieces_between(
    pieces: Iterable[tuple[float, float, Line]], low: float, high: float
) -> list[tuple[float, float, Line]]:
    """The pieces (from, to, line) of an envelope within a range, cut at its ends.

    A point belongs to the piece on its right: a piece that ends at `low` is left out, one that begins at `high` is kept
    as the single point `high`.
    """
    kept = [piece for piece in pieces if not at_most(piece[1], low) and at_most(piece[0], high)]
    edges = [low, *(min(left, high) for left, _, _ in kept[1:]), high]
    return [(left, right, line) for (left, right), (_, _, line) in zip(itertools.pairwise(edges), kept, strict=True)]


def one_point_each(points: Iterable[float], between: Range) -> dict[float, float]:
    """Point -> the one that stands for all that differ from it by rounding alone.

    The ends of the range stand for themselves; of other points the one that is the simplest fraction is taken.
    """
    alike = list[list[float]]()
    for point in sorted({*points, *between}):
        if alike and at_most(point, alike[-1][0]):
            alike[-1].append(point)
        else:
            alike.append([point])
    ends = dict(zip(between, between, strict=True))
    first = [min(group, key=lambda point: (point not in ends, _denominator(point))) for group in alike]
    return {point: one for one, group in zip(first, alike, strict=True) for point in group} | ends


def _denominator(point: float) -> float:
    """Of a fraction that is short; infinite for all other numbers."""
    if math.isinf(point):
        return math.inf
    simple = Fraction(point).limit_denominator(LARGEST_DENOMINATOR)
    return simple.denominator if float(simple) == point else math.inf


def with_points(segments: Sequence[Segment], point: Mapping[float, float]) -> list[Segment]:
    """Neighbouring segments with other ends, `point` of each; without those that are narrower than rounding."""
    result, ties = list[Segment](), set[Line]()
    for segment in segments:
        start, stop = point[segment.start], point[segment.stop]
        if start == stop and segment.start < segment.stop and segment is not segments[-1]:
            ties.update(segment.ties)
            continue
        tied = tuple(sorted(ties.union(segment.ties), key=lambda line: line.auxiliary))
        result.append(replace(segment, start=start, stop=stop, ties=tied))
        ties = set()
    return result


def at_most(number: float, bound: float) -> bool:
    """Whether a number is not larger than a bound, but for rounding."""
    if math.isinf(number) or math.isinf(bound):
        return number <= bound
    return number <= bound + EQUAL * max(abs(number), abs(bound))
