"""How a path is drawn beside its colour: solid, dashed, dashes and dots, long dashes, by the number of its role.

Paths of other agents than the acting one are dotted, those of numbered ones ("other 6") in pairs of dots.

A pattern is symmetric about the middle between two cells and begins anew at each cell, so that the cells of a path can
be drawn one by one. Numbers count in tiles from the middle of a cell to the middle of the next one.
"""

from __future__ import annotations

from collections.abc import Sequence

from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, PixelPoint, fill

Pieces = tuple[tuple[float, float], ...]
_DASHES = tuple((max(0.0, i / 4 - 0.055), min(1.0, i / 4 + 0.055)) for i in range(5))
_DOTS = tuple((i / 6, i / 6) for i in range(7))
_PAIRS = ((0.18, 0.18), (0.32, 0.32), (0.68, 0.68), (0.82, 0.82))
_MIXED = ((0.0, 0.11), (0.25, 0.25), (0.39, 0.61), (0.75, 0.75), (0.89, 1.0))
_LONG = ((0.0, 0.36), (0.64, 1.0))
SOLID: Pieces = ((0.0, 1.0),)
PATTERNS: tuple[Pieces, ...] = (SOLID, _DASHES, _MIXED, _LONG)
"""Pieces (start, stop) with round ends; a piece without length is a dot."""


def choose_pattern(role: str) -> Pieces:
    """The pieces of a path of some role; "path 8" has the colour of "path 0" and another pattern."""
    word, _, number = role.rpartition(" ")
    if not word or not number.isdecimal():
        return _DOTS
    if word == "other":
        return _PAIRS
    return PATTERNS[(int(number) + int(number) // palette.SERIES) % len(PATTERNS)]


def draw_stretches(
    image: Image, role: str, stretches: Sequence[tuple[PixelPoint, PixelPoint]], tile: float, thickness: float
) -> None:
    """Draw straight parts of a path as one shape, each from the middle of a cell on; tile: pixels from cell to cell."""
    pieces = [piece for start, stop in stretches for piece in _cut_pieces(role, start, stop, tile)]
    if not pieces:
        return
    part, placed = shapes.around(image, [point for piece in pieces for point in piece], thickness)
    lines = list(zip(placed[::2], placed[1::2], strict=True))
    fill(part, shapes.polylines(part.shape[0], part.shape[1], lines, thickness), palette.colour(role))


def _cut_pieces(role: str, start: PixelPoint, stop: PixelPoint, tile: float) -> list[tuple[PixelPoint, PixelPoint]]:
    """From where to where the pieces of the pattern go; a line that is solid is one piece."""
    across, along = stop[0] - start[0], stop[1] - start[1]
    length = (across * across + along * along) ** 0.5 / tile
    if choose_pattern(role) == SOLID:
        return [(start, stop)]
    shares = [
        [min(number + end, length) / (length or 1.0) for end in piece]
        for number in range(int(length) + 1)
        for piece in choose_pattern(role)
        if number + piece[0] <= length
    ]
    points = [[(start[0] + share * across, start[1] + share * along) for share in ends] for ends in shares]
    return [(first, last) for first, last in points]
