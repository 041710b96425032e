"""Sprites: the things of all worlds as small drawings, from one vector file that the page and every picture share.

`sprites.svg` has a symbol per thing, 24 x 24, made of circles, boxes, polygons and lines. A shape's class says how it
is painted: body in the colour of a role, dark and line in ink, light in paper. So each reads on light and on dark
ground, and is told from the others by its outline, without colour.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from xml.etree import ElementTree

from renderers.drawing import shapes
from renderers.drawing.palette import Colour
from renderers.drawing.shapes import Distance, Image, PixelPoint

SIDE = 24.0
PEN = 1.5  # of lines, in units of the file
_TAG = "{http://www.w3.org/2000/svg}"
_WORD = re.compile(r"\w[\w-]*")


class Shape(NamedTuple):
    """A shape of a sprite. kind: circle, rect, polygon, polyline; look: body, dark, light or line; numbers: of it."""

    kind: str
    look: str
    numbers: tuple[float, ...]


def read_svg() -> str:
    """Return the atlas as text, for a page to hold."""
    return files("renderers.drawing").joinpath("sprites.svg").read_text(encoding="utf-8")


@cache
def read_sprites() -> dict[str, tuple[Shape, ...]]:
    """Return the shapes of every sprite, by its name."""
    symbols = ElementTree.fromstring(read_svg()).iter(f"{_TAG}symbol")
    return {symbol.get("id", "").removeprefix("sprite-"): tuple(map(_read_shape, symbol)) for symbol in symbols}


@cache
def read_other_names() -> dict[str, str]:
    """Return what else is drawn by a sprite: "mail room" by "mail"."""
    symbols = ElementTree.fromstring(read_svg()).iter(f"{_TAG}symbol")
    return {
        name: symbol.get("id", "").removeprefix("sprite-")
        for symbol in symbols
        for name in symbol.get("data-names", "").split(";")
        if name
    }


def _read_shape(drawn: ElementTree.Element) -> Shape:
    kind = drawn.tag.removeprefix(_TAG)
    named = {"circle": ("cx", "cy", "r"), "rect": ("x", "y", "width", "height", "rx")}
    texts = (
        [drawn.get(name, "0") for name in named[kind]]
        if kind in named
        else re.findall(r"[\d.]+", drawn.get("points", ""))
    )
    return Shape(kind, drawn.get("class", ""), tuple(map(float, texts)))


@cache
def find_sprite(name: str, role: str) -> str:
    """Return the sprite of a thing by its name and role, "" for none.

    Its whole name, else the last of its words that has a sprite, other than "place": "extra wood" is wood, a "key
    place" is drawn as a key. Agents have faces.
    """
    known = read_sprites()
    others = read_other_names()
    plain = name.lower()
    if role == "other" and plain not in others:
        return "other"
    whole = others.get(plain, plain)
    if whole in known:
        return whole
    words = [word.removesuffix("'s") for word in _WORD.findall(plain.replace("'s", ""))]
    found = (others.get(word, word) for word in reversed(words) if word != "place")
    return next((each for each in found if each in known), "agent" if role == "agent" else "")


def needs_letter(name: str) -> bool:
    """Return whether several alike are told apart by their letters: "room 1", "agent E", "Ann's desk"."""
    return bool(re.search(r"\d|'s\b|\b[A-Z]$", name))


def is_place(name: str, role: str) -> bool:
    """Return whether only the place of a thing is meant, such as a key place: it is drawn in outlines."""
    return role == "place" or " place" in name


def draw_sprite(
    image: Image, name: str, centre: PixelPoint, radius: float, body: Colour, ink: Colour, light: Colour
) -> None:
    """Draw a sprite on an image in place, `radius` pixels from its centre to each side."""
    unit = 2 * radius / SIDE
    pen = max(1.0, PEN * unit)
    paints = {"body": body, "dark": ink, "light": light, "line": ink}
    for shape in read_sprites()[name]:
        distance = _outlines[shape.kind](image, shape, (centre[0] - radius, centre[1] - radius), unit, pen)
        if shape.kind == "circle" and shape.look == "line":
            distance = shapes.outline(distance, pen)
        if shape.look == "body":
            shapes.fill(image, distance - pen * 0.5, ink)
            shapes.fill(image, distance + pen * 0.5, body)
        else:
            shapes.fill(image, distance, paints[shape.look])


def _outline_circle(image: Image, shape: Shape, corner: PixelPoint, unit: float, pen: float) -> Distance:
    x, y, radius = shape.numbers
    return shapes.disc(image.shape[0], image.shape[1], (corner[0] + x * unit, corner[1] + y * unit), radius * unit)


def _outline_box(image: Image, shape: Shape, corner: PixelPoint, unit: float, pen: float) -> Distance:
    x, y, width, height, rounded = shape.numbers
    centre = corner[0] + (x + width / 2) * unit, corner[1] + (y + height / 2) * unit
    half = width / 2 * unit, height / 2 * unit
    return shapes.box(image.shape[0], image.shape[1], centre, half, rounded * unit)


def _place_points(shape: Shape, corner: PixelPoint, unit: float) -> list[PixelPoint]:
    numbers = shape.numbers
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [(corner[0] + x * unit, corner[1] + y * unit) for x, y in pairs]


def _outline_area(image: Image, shape: Shape, corner: PixelPoint, unit: float, pen: float) -> Distance:
    return shapes.area(image.shape[0], image.shape[1], _place_points(shape, corner, unit))


def _outline_line(image: Image, shape: Shape, corner: PixelPoint, unit: float, pen: float) -> Distance:
    return shapes.polyline(image.shape[0], image.shape[1], _place_points(shape, corner, unit), pen)


_outlines: dict[str, Callable[[Image, Shape, PixelPoint, float, float], Distance]] = {
    "circle": _outline_circle,
    "rect": _outline_box,
    "polygon": _outline_area,
    "polyline": _outline_line,
}
