"""How a path is drawn beside its colour: solid, dashed, dashes and dots, long dashes, by the number of its role.

Paths of other agents than the acting one are dotted, those of numbered ones ("other 6") in pairs of dots.

A pattern is symmetric about the middle between two cells and begins anew at each cell, so that the cells of a path can
be drawn one by one. Numbers count in tiles from the middle of a cell to the middle of the next one.
"""

from __future__ import annotations

from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, PixelPoint, fill

Pieces = tuple[tuple[float, float], ...]
_DASHES = tuple((max(0.0, i / 4 - 0.055), min(1.0, i / 4 + 0.055)) for i in range(5))
_DOTS = tuple((i / 6, i / 6) for i in range(7))
_PAIRS = ((0.18, 0.18), (0.32, 0.32), (0.68, 0.68), (0.82, 0.82))
_MIXED = ((0.0, 0.11), (0.25, 0.25), (0.39, 0.61), (0.75, 0.75), (0.89, 1.0))
_LONG = ((0.0, 0.36), (0.64, 1.0))
PATTERNS: tuple[Pieces, ...] = (((0.0, 1.0),), _DASHES, _MIXED, _LONG)
"""Pieces (start, stop) with round ends; a piece without length is a dot."""


def pattern(role: str) -> Pieces:
    """The pieces of a path of some role; "path 8" has the colour of "path 0" and another pattern."""
    word, _, number = role.rpartition(" ")
    if not word or not number.isdecimal():
        return _DOTS
    if word == "other":
        return _PAIRS
    return PATTERNS[(int(number) + int(number) // palette.SERIES) % len(PATTERNS)]


def draw_stretch(image: Image, role: str, start: PixelPoint, stop: PixelPoint, tile: float, thickness: float) -> None:
    """Draw a straight part of a path from the middle of a cell on; tile: pixels from cell to cell."""
    across, along = stop[0] - start[0], stop[1] - start[1]
    length = (across * across + along * along) ** 0.5 / tile
    shade = palette.colour(role)
    for number in range(int(length) + 1):
        for first, last in pattern(role):
            ends = [min(number + end, length) / (length or 1.0) for end in (first, last)]
            if number + first <= length:
                points = [(start[0] + share * across, start[1] + share * along) for share in ends]
                part, placed = shapes.around(image, points, thickness)
                fill(part, shapes.polyline(part.shape[0], part.shape[1], placed, thickness), shade)
