"""Films as drawings: SVG (Scalable Vector Graphics 1.1), letters as text, and nothing that a viewer would fetch."""

from __future__ import annotations

import base64
from html import escape

import numpy as np

from engine.printable import make_one_line
from renderers.drawing.shapes import Drawing, Filled, Outline, Patch, Sheet, draw_vectors
from renderers.film import FilmFormat, RenderedFilm
from renderers.formats.pictures import encode_image

__all__ = ["svg"]

STRAIGHT = 0.08  # pixels that an outline may lie beside its points
CAPITAL = 0.716  # of the size of the common letters without serifs
MOST_SIGNS = 2  # letters


def encode_svg(film: RenderedFilm) -> bytes:
    """UTF-8 SVG of the film's one scene, or of its scenes side by side."""
    with draw_vectors():
        sheet = film.sheet() if len(film.scenes) > 1 else next(film.images([0]))
    assert isinstance(sheet, Sheet)
    height, width = sheet.shape[:2]
    title = escape(make_one_line(film.scenes[0].caption or "picture"))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="Helvetica, Arial, sans-serif" role="img">',
        f"<title>{title}</title>",
        *map(_write_drawn, sheet.drawn),
        "</svg>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _write_drawn(drawn: Drawing) -> str:
    if isinstance(drawn, Patch):
        high, wide = drawn.image.shape[:2]
        image = base64.b64encode(encode_image(drawn.image)).decode()
        place = f'x="{drawn.x:g}" y="{drawn.y:g}" width="{wide}" height="{high}"'
        return f'<image {place} href="data:image/png;base64,{image}"/>'
    style = f'fill="#{bytes(drawn.colour).hex()}"' + (f' opacity="{drawn.opacity:g}"' if drawn.opacity < 1.0 else "")
    return _write_words(drawn, style) if drawn.words else _write_path(drawn, style)


def _write_words(drawn: Filled, style: str) -> str:
    """Return a line of text, as wide as it was drawn; a letter or two, the signs of things, keep their own shape."""
    assert drawn.words is not None
    text, x, y, size, width, bold = drawn.words
    if len(text) > MOST_SIGNS:
        place = f'x="{x:.1f}" y="{y:.1f}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
    else:
        place = f'x="{x + width / 2:.1f}" y="{y:.1f}" text-anchor="middle"'
    weight = ' font-weight="bold"' if bold else ""
    letters = f'font-size="{size / CAPITAL:.1f}" {style}{weight} xml:space="preserve"'
    return f"<text {place} {letters}>{escape(text, quote=False)}</text>"


def _write_path(drawn: Filled, style: str) -> str:
    lines = [simplify_outline(outline) for outline in drawn.outlines]
    path = "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in line.tolist()) + "z" for line in lines)
    return f'<path d="{path}" {style} fill-rule="evenodd"/>'


def simplify_outline(outline: Outline) -> Outline:
    """Leave out the points that lie within STRAIGHT of the line between those that stay.

    Reference: D. Douglas, T. Peucker, "Algorithms for the reduction of the number of points required to represent a
    digitized line", Cartographica 10, 1973.
    """
    kept = np.zeros(len(outline), dtype=np.bool_)
    kept[[0, -1]] = True
    waiting = [(0, len(outline) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        start, end = outline[first], outline[last]
        inner = outline[first + 1 : last] - start
        along = end - start
        length = float(np.hypot(*along))
        if length > 0.0:
            aside = np.abs(along[0] * inner[:, 1] - along[1] * inner[:, 0]) / length
        else:
            aside = np.hypot(inner[:, 0], inner[:, 1])
        middle = int(aside.argmax())
        if aside[middle] > STRAIGHT:
            kept[first + 1 + middle] = True
            waiting += [(first, first + 1 + middle), (first + 1 + middle, last)]
    return outline[kept]


svg = FilmFormat(encode_svg, modules=("contourpy",), extra="plot")
"""A film as an SVG drawing: its one scene, or its scenes in reading order under one legend."""
