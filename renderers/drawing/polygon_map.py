"""A plane divided into convex polygons: exact borders, numbered axes, every polygon numbered and named below.

The map is a picture over a floor of cells, so that a click finds a cell: `side` x `side` cells are the plane, and
round them lie the cells of axes and names. Colour is never the only sign: polygons bear their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from renderers.drawing import palette
from renderers.drawing.shapes import Image, PixelPoint, around, blank, disc, fill, outline, polygon, polylines
from renderers.drawing.stroke_font import text_width, wrap, write, write_centred

PIXELS = 64  # a cell's side, large enough that a window draws the map smaller
ABOVE, LEFT, BELOW, RIGHT = 2, 3, 3, 1  # cells round the plane: label, numbers, numbers and label, room
TYPE = 0.46 * PIXELS  # a capital's height
MOST_NAMED = 8
PALENESS = 0.45
TICKS = 5

PlaneBounds = tuple[tuple[float, float], tuple[float, float]]


class PolygonMap:
    """The map of polygons f64[N, 2] in a window ((left, right), (low, high)), with a name each and two axes' labels."""

    def __init__(
        self,
        window: PlaneBounds,
        labels: tuple[str, str],
        outlines: Sequence[NDArray[np.float64]],
        names: Sequence[str],
        side: int,
    ) -> None:
        self._window = window
        self._labels = labels
        self._outlines = outlines
        self._side = side
        self.columns = LEFT + side + RIGHT
        room = round((self.columns - 2) * PIXELS)
        named = [wrap(name, room, TYPE) for name in names[:MOST_NAMED]]
        if len(names) > MOST_NAMED:
            named.append([f"and {len(names) - MOST_NAMED} more"])
        self._named = named
        self.rows = ABOVE + side + BELOW + sum(map(len, named))

    @property
    def corner(self) -> tuple[int, int]:
        """The (row, column) of the plane's upper left cell."""
        return ABOVE, LEFT

    def draw(self, point: tuple[float, float]) -> Image:
        """uint8[H, W, 3]: the map with a cross at a point of the plane."""
        image = self._bare.copy()
        part, (centre,) = around(image, [self._place(*point)], 0.6 * PIXELS)
        height, width = part.shape[:2]
        (x, y), reach = centre, 0.4 * PIXELS
        arms = [[(x - reach, y), (x + reach, y)], [(x, y - reach), (x, y + reach)]]
        for colour, thickness in ((palette.WHITE, 0.26), (palette.INK, 0.12)):
            fill(part, polylines(height, width, arms, thickness * PIXELS), colour)
        return image

    @cached_property
    def _bare(self) -> Image:
        image = blank(self.rows * PIXELS, self.columns * PIXELS, palette.PAPER)
        top, left, length = ABOVE * PIXELS, LEFT * PIXELS, self._side * PIXELS
        image[top : top + length, left : left + length] = palette.FLOOR_LINE
        placed = [self._corners(corners) for corners in self._outlines]
        for number, corners in enumerate(placed):
            if len(corners) > 2:
                part, inside = around(image, corners, 0)
                fill(part, polygon(part.shape[0], part.shape[1], inside), _choose_colour(number))
        for corners in placed:
            if len(corners) > 2:
                part, inside = around(image, corners, 0.05 * PIXELS)
                border = polylines(part.shape[0], part.shape[1], [[*inside, inside[0]]], 0.05 * PIXELS)
                fill(part, border, palette.INK)
        for number, corners in enumerate(placed):
            self._write_number(image, number, corners)
        self._draw_axes(image)
        self._write_names(image)
        return image

    def _place(self, x: float, y: float) -> PixelPoint:
        (left, right), (low, high) = self._window
        length = self._side * PIXELS
        return (
            LEFT * PIXELS + (x - left) / (right - left) * length,
            ABOVE * PIXELS + (high - y) / (high - low) * length,
        )

    def _corners(self, outline: NDArray[np.float64]) -> list[PixelPoint]:
        """Return the corners in pixels, clockwise on the screen, each once."""
        corners: list[PixelPoint] = []
        for x, y in outline[::-1].tolist():
            place = self._place(x, y)
            if all(math.dist(place, other) > 1e-6 for other in corners):
                corners.append(place)
        return corners

    def _write_number(self, image: Image, number: int, corners: list[PixelPoint]) -> None:
        """A polygon's number in a circle at its middle, where it has room."""
        if len(corners) < 3:
            return
        x, y = np.mean(corners, axis=0)
        middle = float(x), float(y)
        radius = 0.45 * PIXELS
        if (
            min(_measure_distance(middle, a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))
            > radius
        ):
            _draw_number(image, number, middle, radius)

    def _draw_axes(self, image: Image) -> None:
        (left, right), (low, high) = self._window
        bottom = (ABOVE + self._side) * PIXELS
        ends = [self._place(left, high), self._place(left, low), self._place(right, low)]
        lines = [ends]
        for x in choose_ticks(left, right):
            across, _ = self._place(x, low)
            lines.append([(across, bottom), (across, bottom + 0.25 * PIXELS)])
            write_centred(image, f"{x:g}", (across, bottom + 0.8 * PIXELS), TYPE)
        for y in choose_ticks(low, high):
            _, down = self._place(left, y)
            lines.append([(LEFT * PIXELS - 0.25 * PIXELS, down), (LEFT * PIXELS, down)])
            text = f"{y:g}"
            write(image, text, (LEFT - 0.45) * PIXELS - text_width(text, TYPE), down - 0.8 * TYPE, TYPE)
        fill(image, polylines(image.shape[0], image.shape[1], lines, 0.06 * PIXELS), palette.INK)
        first, second = self._labels
        write(image, f"↑ {second}", 0.3 * PIXELS, 0.5 * PIXELS, TYPE)
        across = image.shape[1] - RIGHT * PIXELS - text_width(f"{first} →", TYPE)
        write(image, f"{first} →", max(0, across), bottom + 1.4 * PIXELS, TYPE)

    def _write_names(self, image: Image) -> None:
        top = (ABOVE + self._side + BELOW) * PIXELS
        for number, lines in enumerate(self._named):
            if number < MOST_NAMED:
                _draw_number(image, number, (PIXELS, top + 0.5 * PIXELS), 0.42 * PIXELS)
            for line in lines:
                write(image, line, 1.8 * PIXELS, top + 0.5 * PIXELS - 0.8 * TYPE, TYPE)
                top += PIXELS


def choose_ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """Return the multiples between two numbers of the least step 1, 2, 5, 10, ... that has at most `most` there."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            break
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _choose_colour(number: int) -> palette.Colour:
    return palette.mix_colours(palette.colour(f"path {number}"), palette.PAPER, PALENESS)


def _draw_number(image: Image, number: int, centre: PixelPoint, radius: float) -> None:
    part, (place,) = around(image, [centre], radius + 1)
    circle = disc(part.shape[0], part.shape[1], place, radius)
    fill(part, circle, palette.WHITE)
    fill(part, outline(circle, 0.1 * PIXELS), palette.colour(f"path {number}"))
    text = str(number + 1)
    write_centred(part, text, place, TYPE if len(text) < 2 else 0.75 * TYPE, bold=True)


def _measure_distance(point: PixelPoint, first: PixelPoint, second: PixelPoint) -> float:
    """Return the distance of a point from the line through two others."""
    (ax, ay), (bx, by) = first, second
    return abs((point[0] - ax) * (by - ay) - (point[1] - ay) * (bx - ax)) / math.dist(first, second)
