"""Paths of arrows between nodes, as SVG: the first of a few shapes that keeps clear of all other nodes.

A near node is reached by a straight line, or by the least bow; a far one by an arc above the nodes between, or by a
bow. Where none keeps clear, the one that keeps farthest is taken. Points are (x, y) in pixels, y down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

BENDS = (0, 30, -30, 60, -60, 90, -90, 120, -120)
FAR = 165  # pixels across from which an arc is tried first
PIECES = 12  # straight pieces that a bow is measured by

Position: TypeAlias = tuple[float, float]


class End(NamedTuple):
    """A node at one end of an arrow, or beside it; reach: how far from its centre an arrow keeps, in pixels."""

    centre: Position
    reach: float


class PossiblePath(NamedTuple):
    """A possible path: as SVG, and the ends of the straight pieces that it is measured by."""

    path: str
    points: list[Position]


def arrow_path(start: End, end: End, others: Sequence[End]) -> str:
    """The path of an arrow from rim to rim, as the attribute `d` of an SVG path."""
    best, most = "", -math.inf
    for candidate in _candidates(start, end):
        pieces = list(pairwise(candidate.points))
        room = min((_apart(each.centre, *piece) - each.reach for piece in pieces for each in others), default=0.0)
        if room >= 0:
            return candidate.path
        if room > most:
            best, most = candidate.path, room
    return best


def _apart(point: Position, first: Position, last: Position) -> float:
    """The distance of a point from a straight piece."""
    (x, y), across, down = first, last[0] - first[0], last[1] - first[1]
    squared = across * across + down * down
    along = ((point[0] - x) * across + (point[1] - y) * down) / squared if squared else 0.0
    share = min(max(along, 0.0), 1.0)
    return math.hypot(point[0] - x - share * across, point[1] - y - share * down)


def _candidates(start: End, end: End) -> Iterator[PossiblePath]:
    if end.centre[0] - start.centre[0] > FAR:
        yield _arc(start, end)
    for bend in BENDS:
        yield _bow(start, end, bend)


def _arc(start: End, end: End) -> PossiblePath:
    """Above the heads of the nodes between, and down on the target between the columns."""
    (x, y), (right, down) = start.centre, end.centre
    crest, bend, above = min(y, down) - 42, 22, down - end.reach
    first = _rim(start, (x + bend, crest))
    path = (
        f"M{first[0]:.0f} {first[1]:.0f}Q{x + bend} {crest} {x + 2 * bend} {crest}H{right - bend}"
        f"Q{right} {crest} {right} {crest + bend}V{above:.0f}"
    )
    return PossiblePath(path, [first, (x + 2 * bend, crest), (right, crest), (right, above)])


def _bow(start: End, end: End, bend: float) -> PossiblePath:
    """A straight line, or a curve whose middle lies half of `bend` aside."""
    (x, y), (right, down) = start.centre, end.centre
    length = math.dist(start.centre, end.centre) or 1.0
    middle = (x + right) / 2 - (down - y) / length * bend, (y + down) / 2 + (right - x) / length * bend
    first, last = _rim(start, middle), _rim(end, middle)
    path = f"M{first[0]:.0f} {first[1]:.0f}Q{middle[0]:.0f} {middle[1]:.0f} {last[0]:.0f} {last[1]:.0f}"
    shares = [i / PIECES for i in range(PIECES + 1)] if bend else [0.0, 1.0]
    points = [
        ((1 - t) ** 2 * first[0] + 2 * t * (1 - t) * middle[0] + t**2 * last[0],
         (1 - t) ** 2 * first[1] + 2 * t * (1 - t) * middle[1] + t**2 * last[1])
        for t in shares
    ]  # fmt: skip
    return PossiblePath(path, points)


def _rim(end: End, towards: Position) -> Position:
    """The point around a node that faces another point."""
    length = math.dist(end.centre, towards) or 1.0
    across, down = ((there - here) / length * end.reach for here, there in zip(end.centre, towards, strict=True))
    return end.centre[0] + across, end.centre[1] + down
