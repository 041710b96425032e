"""A number line whose stretches are equally wide, however long they are: where a number lies, and the line as an image.

Break points may lie a thousandth and then five apart: on an even scale most stretches would be too short to point at.
"""

from __future__ import annotations

import bisect

from engine.plain_values import write_number
from engine.scene import NumberLine
from renderers.drawing import palette, shapes
from renderers.drawing.path_style import draw_stretches
from renderers.drawing.shapes import Image, around, blank, fill
from renderers.drawing.stroke_font import line_height, text_width, wrap, write, write_centred

KNOB_IN_CAPITALS = 0.75
MOST_LINES = 3


def list_edges(line: NumberLine) -> tuple[float, ...]:
    """Return the ends of all stretches, ascending; the endless last stretch is drawn as long as all before it."""
    inner = [point for point in line.points if point > line.low]
    last = inner[-1] if inner else line.low
    return (line.low, *inner, last + max(1.0, last - line.low))


def locate_number(line: NumberLine, number: float) -> float:
    """How far along the line a number lies, in [0, 1]."""
    ends = list_edges(line)
    number = min(max(number, ends[0]), ends[-1])
    stretch = min(bisect.bisect_right(ends, number), len(ends) - 1) - 1
    inside = (number - ends[stretch]) / (ends[stretch + 1] - ends[stretch])
    return (stretch + inside) / (len(ends) - 1)


def find_number(line: NumberLine, share: float) -> float:
    """The number that lies so far along the line; the inverse of `locate_number`."""
    ends = list_edges(line)
    along = min(max(share, 0.0), 1.0) * (len(ends) - 1)
    stretch = min(int(along), len(ends) - 2)
    return ends[stretch] + (along - stretch) * (ends[stretch + 1] - ends[stretch])


def draw_number_line(line: NumberLine, width: int, size: float) -> Image:
    """The line in the patterns of its stretches, a tick and a number at each break point, the labels below.

    size: pixels a capital. The line spans the whole width but for a margin of one capital at both sides.
    """
    ends = list_edges(line)
    count = len(ends) - 1
    pitch = (width - 2 * size) / (len(ends) - 1)
    labels = [wrap(text, max(1, round(pitch - size)), size)[:MOST_LINES] if text else [] for text, _ in line.stretches]
    lines = max(map(len, labels), default=0)
    top = round(size * 2.0)
    image = blank(top + line_height(size) * (1 + lines) + round(size * 0.5), width, palette.PAPER)
    for number in range(count):
        start = size + number * pitch
        role = line.stretches[number][1] if line.stretches else "plain"
        ends_at = (start, size), (start + pitch, size)
        if role == "plain":
            part, placed = around(image, ends_at, size)
            fill(part, shapes.polyline(part.shape[0], part.shape[1], placed, size * 0.3), palette.PALE_INK)
        else:
            draw_stretches(image, role, [ends_at], 3 * size, size * 0.4)
    _draw_ticks(image, line, ends, pitch, size)
    for number, text in enumerate(labels):
        for row, words in enumerate(text):
            centre = size + (number + 0.5) * pitch, top + line_height(size) * (row + 1.5)
            write_centred(image, words, centre, size)
    if line.at is not None:
        part, (centre,) = around(image, [(size + locate_number(line, line.at) * count * pitch, size)], size)
        for shade, radius in ((palette.PAPER, 1.15), (palette.INK, 1.0)):
            fill(part, shapes.disc(part.shape[0], part.shape[1], centre, size * KNOB_IN_CAPITALS * radius), shade)
    return image


def _draw_ticks(image: Image, line: NumberLine, ends: tuple[float, ...], pitch: float, size: float) -> None:
    """A tick at each break point, its number where it does not touch the one before; the line's name at the right."""
    name = line.name
    free = -size
    room = image.shape[1] - text_width(name, size) - size if name else image.shape[1]
    write(image, name, room, size * 2.0, size, palette.PALE_INK)
    for number, end in enumerate(ends[:-1]):
        x = size + number * pitch
        text = write_number(end, 3)
        part, placed = around(image, [(x, size * 0.3), (x, size * 1.7)], 2)
        fill(part, shapes.polyline(part.shape[0], part.shape[1], placed, max(1.2, size * 0.18)), palette.INK)
        half = text_width(text, size, True) / 2
        left = max(0.0, x - half)
        if left > free + size * 0.5 and left + 2 * half < room - size * 0.5:
            write(image, text, left, size * 2.0, size, palette.INK, bold=True)
            free = left + 2 * half
