"""The range of coefficients that is asked for, and what of an upper envelope lies in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

from engine.errors import BadValue
from engine.planning.trade_off.envelope import EQUAL
from engine.planning.trade_off.segment import Line

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


def at_most(number: float, bound: float) -> bool:
    """Whether a number is not larger than a bound, but for rounding."""
    if math.isinf(number) or math.isinf(bound):
        return number <= bound
    return number <= bound + EQUAL * max(abs(number), abs(bound))
