"""A chart's title above room for the rest."""

from __future__ import annotations

from renderers.drawing import palette
from renderers.drawing.shapes import Image, blank
from renderers.drawing.stroke_font import line_height, wrap, write

MOST_LINES = 2


def titled(name: str, height: int, width: int, size: float) -> tuple[Image, int]:
    """A blank image with a title; where the rest may begin."""
    lines = wrap(name, width, size * 0.9, bold=True)[:MOST_LINES] if name else []
    top = line_height(size) * len(lines)
    image = blank(top + height, width, palette.PAPER)
    for number, line in enumerate(lines):
        write(image, line, 0, number * line_height(size), size * 0.9, palette.PALE_INK, bold=True)
    return image, top
