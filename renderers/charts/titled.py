"""A blank image with a chart's title."""

from __future__ import annotations

from renderers.drawing import palette
from renderers.drawing.shapes import Image, blank
from renderers.drawing.stroke_font import line_height, shorten, write


def titled(name: str, height: int, width: int, size: float) -> tuple[Image, int]:
    """A blank image with a title; where the rest may begin."""
    top = line_height(size) if name else 0
    image = blank(top + height, width, palette.PAPER)
    write(image, shorten(name, width, size * 0.9, True), 0, 0, size * 0.9, palette.PALE_INK, bold=True)
    return image, top
