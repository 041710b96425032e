"""Text on pixels: the strokes of `renderers.drawing.alphabet` with round pens, in any size; letters are cached by size.

Rounded strokes follow Chaikin's corner cutting: every corner is replaced by points at 1/4 and 3/4 of its sides.
Reference: G. Chaikin, "An algorithm for high-speed curve generation", Computer Graphics and Image Processing 3, 1974.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from renderers.drawing.alphabet import CAPITAL_HEIGHT, DEPTH, strokes
from renderers.drawing.palette import INK, PAPER, Colour
from renderers.drawing.shapes import Image, PixelPoint, blank, fill, polyline

GAP = 2.6
SPACE = 4.0
DIGITS = frozenset("0123456789")


def _cut_corners(points: list[PixelPoint], closed: bool) -> list[PixelPoint]:
    cut: list[PixelPoint] = []
    for (ax, ay), (bx, by) in pairwise(points):
        cut += [(0.75 * ax + 0.25 * bx, 0.75 * ay + 0.25 * by), (0.25 * ax + 0.75 * bx, 0.25 * ay + 0.75 * by)]
    return [*cut, cut[0]] if closed else [points[0], *cut[1:-1], points[-1]]


@lru_cache(maxsize=4096)
def _letter(letter: str, size: float, bold: bool) -> NDArray[np.float64]:
    """float64[H, W]: how much of each pixel a letter covers; size: the height of a capital in pixels."""
    unit = size / CAPITAL_HEIGHT
    pen = max(1.05, size * (0.19 if bold else 0.125))
    drawn = strokes(letter)
    right = max((x for _, points in drawn for x, _ in points), default=0)
    right = 5 if letter in DIGITS else right
    advance = (right + GAP if drawn else SPACE) * unit
    height, width = line_height(size), max(1, round(advance))
    margin_x, margin_y = (width - right * unit) / 2, size * 0.3
    cover = np.full((height, width), np.inf)
    for rounded, points in drawn:
        path: list[PixelPoint] = [(x, y) for x, y in points]
        for _ in range(3 if rounded and len(path) > 2 else 0):
            path = _cut_corners(path, closed=points[0] == points[-1])
        placed = [(margin_x + x * unit, margin_y + y * unit) for x, y in path]
        cover = np.minimum(cover, polyline(height, width, placed, pen))
    return cover


def line_height(size: float) -> int:
    """Pixels from one line of text to the next, for capitals `size` pixels high."""
    return round(size * (0.5 + (DEPTH + 0.5) / CAPITAL_HEIGHT))


def text_width(text: str, size: float, bold: bool = False) -> int:
    """How many pixels wide a line of text is."""
    return sum(_letter(letter, size, bold).shape[1] for letter in text)


def write(
    image: Image, text: str, left: float, top: float, size: float, colour: Colour = INK, bold: bool = False
) -> None:
    """Write one line onto an image in place; (left, top) is the corner of the line's box; the image cuts it off."""
    if not text:
        return
    cover = np.concatenate([_letter(letter, size, bold) for letter in text], axis=1)
    (height, width), column, row = cover.shape, round(left), round(top)
    rows = slice(max(0, -row), min(height, image.shape[0] - row))
    columns = slice(max(0, -column), min(width, image.shape[1] - column))
    if rows.stop > rows.start and columns.stop > columns.start:
        target = image[row + rows.start : row + rows.stop, column + columns.start : column + columns.stop]
        fill(target, cover[rows, columns], colour)


def write_centred(
    image: Image, text: str, centre: PixelPoint, size: float, colour: Colour = INK, bold: bool = False
) -> None:
    """Write one line with the middle of its capitals at a point (x, y)."""
    left = centre[0] - text_width(text, size, bold) / 2
    write(image, text, left, centre[1] - size * 0.8, size, colour, bold)


def wrap(text: str, width: int, size: float, bold: bool = False) -> list[str]:
    """Break a text into lines of at most `width` pixels; words wider than that are cut."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if text_width(longer, size, bold) <= width or not line:
                line = longer
            else:
                lines.append(line)
                line = word
        lines.append(line)
    return [shorten(line, width, size, bold) for line in lines]


def shorten(text: str, width: int, size: float, bold: bool = False) -> str:
    """Cut a text that is too wide, with an ellipsis."""
    if text_width(text, size, bold) <= width:
        return text
    while text and text_width(text + "…", size, bold) > width:
        text = text[:-1]
    return text + "…"


def paragraph(text: str, width: int, size: float, colour: Colour = INK, bold: bool = False) -> Image:
    """An image of a wrapped text, `width` pixels wide."""
    lines = wrap(text, width, size, bold)
    image = blank(line_height(size) * len(lines), width, PAPER)
    for i, line in enumerate(lines):
        write(image, line, 0, i * line_height(size), size, colour, bold)
    return image
