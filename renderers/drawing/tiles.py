"""The appearance of a cell as a value: cells of equal appearance share one tile of the atlas.

The shape shows the role without colour (agent: disc; other: hexagon; object: rounded square; goal: diamond; door: tall
box; place: ring; danger: triangle), the letter shows the name.
"""

from __future__ import annotations

from typing import NamedTuple

from renderers.drawing import palette, shapes
from renderers.drawing.palette import Colour
from renderers.drawing.path_style import draw_stretches
from renderers.drawing.shapes import Distance, Image, PixelPoint
from renderers.drawing.stroke_font import text_width, wrap, write_centred

DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
FACE = "@"
MORE = "…"
ARTICLES = ("a", "an", "the")
SMALLEST_LETTERS = 4.5  # pixels a capital
_CORNERS: dict[str, tuple[PixelPoint, ...]] = {
    "other": ((-0.5, -0.87), (0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0)),
    "goal": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "danger": ((0, -1), (1, 0.8), (-1, 0.8)),
}
_BOXES = ("object", "place", "feature", "gain", "loss", "changed")


class Symbol(NamedTuple):
    """A mark without its place: its glyph, its role, and whether it is crossed out."""

    glyph: str
    role: str
    crossed: bool


class PathSegment(NamedTuple):
    """The part of a path in one cell: the sides it crosses ("up" ...), its offset beside other paths, its end."""

    role: str
    sides: tuple[str, ...]
    offset: float
    end: str = ""


class CellAppearance(NamedTuple):
    """Everything a cell shows. heat: share in [0, 1] (its ramp step) or None; number: the heat in words."""

    wall: bool = False
    heat: float | None = None
    number: str = ""
    arrow: str = ""
    segments: tuple[PathSegment, ...] = ()
    symbols: tuple[Symbol, ...] = ()


def draw_tile(appearance: CellAppearance, size: int) -> Image:
    """The image of an appearance, uint8[size, size, 3]."""
    if appearance.wall:
        return _draw_wall(size)
    ground = palette.FLOOR if appearance.heat is None else palette.heat_colour(appearance.heat)
    line = palette.mix_colours(ground, palette.FLOOR_LINE, 0.9 if appearance.heat is None else 0.25)
    image = shapes.blank(size, size, line)
    image[: size - 1, : size - 1] = ground
    for segment in appearance.segments:
        _draw_segment(image, segment)
    places = _find_places(len(appearance.symbols), size)
    for symbol, (centre, radius) in zip(appearance.symbols, places, strict=True):
        _draw_symbol(image, symbol, centre, radius)
    if appearance.number and size >= 24:
        _draw_number(image, appearance.number, ground, bool(appearance.symbols))
    if appearance.arrow:
        middle = 0.4 if appearance.number and size >= 24 else 0.5
        _draw_arrow(image, appearance.arrow, ground, middle, bool(appearance.symbols))
    return image


def _draw_wall(size: int) -> Image:
    image = shapes.blank(size, size, palette.WALL)
    inner = shapes.box(size, size, (size / 2, size / 2), (size * 0.46, size * 0.46), size * 0.08)
    shapes.fill(image, inner, palette.WALL_LIGHT, 0.35)
    return image


def _find_places(count: int, size: int) -> list[tuple[PixelPoint, float]]:
    """Where symbols stand: one fills the cell, two share its diagonal, more share a square of two or more a side."""
    if count <= 1:
        return [((size * 0.5, size * 0.5), size * 0.38)] * count
    if count == 2:
        return [((size * 0.29, size * 0.29), size * 0.24), ((size * 0.65, size * 0.65), size * 0.29)]
    side = 2
    while side * side < count:
        side += 1
    pitch = size / side
    return [(((i % side + 0.5) * pitch, (i // side + 0.5) * pitch), pitch * 0.42) for i in range(count)]


def _draw_symbol(image: Image, symbol: Symbol, centre: PixelPoint, radius: float) -> None:
    size = image.shape[0]
    shade = palette.colour(symbol.role)
    ink = palette.readable_colour(shade)
    body = _outline_body(symbol.role, size, centre, radius)
    if symbol.role == "plain":
        ink = palette.INK
    elif symbol.role == "place":
        ink = shade
        shapes.fill(image, body, palette.FLOOR)
        shapes.fill(image, shapes.outline(body, max(1.2, size * 0.04)), shade)
    else:
        shapes.fill(image, body - max(1.0, size * 0.03), palette.PAPER, 0.85)
        shapes.fill(image, body, palette.mix_colours(shade, palette.INK, 0.35))
        shapes.fill(image, body + max(1.0, radius * 0.09), shade)
    if symbol.crossed:
        shapes.cross_out(image, centre, radius)
        shapes.fill(image, shapes.disc(size, size, centre, radius * 0.55), palette.FLOOR if ink == shade else shade)
    if symbol.glyph == FACE and symbol.role != "plain":
        _draw_face(image, centre, radius, ink)
    else:
        letter = symbol.glyph[:3]
        height = radius * (1.05 if len(letter) == 1 else 0.66)
        drop = radius * 0.2 if symbol.role == "danger" else 0.0
        write_centred(image, letter, (centre[0], centre[1] + drop), max(5.0, height), ink, bold=radius > 7)


def _draw_face(image: Image, centre: PixelPoint, radius: float, ink: Colour) -> None:
    """An agent whose glyph is "@" is drawn as a face."""
    size, (x, y) = image.shape[0], centre
    for side in (-1, 1):
        fill_eye = shapes.disc(size, size, (x + side * radius * 0.36, y - radius * 0.18), max(0.9, radius * 0.15))
        shapes.fill(image, fill_eye, ink)
    smile = [(x - radius * 0.4, y + radius * 0.3), (x - radius * 0.15, y + radius * 0.46)]
    smile += [(x + radius * 0.15, y + radius * 0.46), (x + radius * 0.4, y + radius * 0.3)]
    shapes.fill(image, shapes.polyline(size, size, smile, max(1.0, radius * 0.13)), ink)


def _outline_body(role: str, size: int, centre: PixelPoint, radius: float) -> Distance:
    """The outline of a role as a signed distance."""
    kind = role.rpartition(" ")[0] or role
    if kind in _CORNERS:
        stretch = radius * 1.12 if kind != "other" else radius * 1.04
        corners = [(centre[0] + x * stretch, centre[1] + y * stretch) for x, y in _CORNERS[kind]]
        return shapes.polygon(size, size, corners)
    if kind == "door":
        return shapes.box(size, size, centre, (radius * 0.72, radius), radius * 0.3)
    if kind in _BOXES:
        return shapes.box(size, size, centre, (radius * 0.9, radius * 0.9), radius * 0.28)
    return shapes.disc(size, size, centre, radius)


def _draw_segment(image: Image, segment: PathSegment) -> None:
    size = image.shape[0]
    shade = palette.colour(segment.role)
    width = max(1.6, size * 0.075)
    x = y = size / 2 + segment.offset * size
    ends = [(x + DIRECTIONS[side][0] * size, y + DIRECTIONS[side][1] * size) for side in segment.sides]
    draw_stretches(image, segment.role, [((x, y), end) for end in ends], size, width)
    if segment.end == "first":
        shapes.fill(image, shapes.disc(size, size, (x, y), width * 1.25), shade)
    elif segment.end in DIRECTIONS:
        right, down = DIRECTIONS[segment.end]
        tip = width * 1.9
        wing = width * 1.7
        corners = [(right * tip, down * tip), (-down * wing - right * wing, right * wing - down * wing)]
        corners.append((down * wing - right * wing, -right * wing - down * wing))
        shapes.fill(image, shapes.polygon(size, size, [(x + dx, y + dy) for dx, dy in corners]), shade)


def _wrap_action(action: str, size: int) -> list[str]:
    """An action's name in as many lines as it takes; none where the tile is too small, as half a name says less."""
    height = max(SMALLEST_LETTERS, size * 0.13)
    words = [word for word in action.split(" ") if word not in ARTICLES]
    if any(text_width(word, SMALLEST_LETTERS) > size - 3 for word in words):
        return []
    lines = wrap(" ".join(words), size - 3, height)
    if any(MORE in line for line in lines):
        lines = words
    return lines if len(lines) * height * 1.7 <= size else []


def _draw_arrow(image: Image, action: str, ground: Colour, middle: float, beside: bool) -> None:
    """An arrow for a move, the action's name otherwise, or a dot where it has no room.

    Beside symbols it takes the upper right corner.
    """
    size = image.shape[0]
    reach, x, y = (size * 0.1, size * 0.85, size * 0.15) if beside else (size * 0.2, size * 0.5, size * middle)
    ink = palette.readable_colour(ground)
    if action not in DIRECTIONS:
        lines = [] if beside else _wrap_action(action, size)
        height = max(SMALLEST_LETTERS, size * 0.13)
        for i, line in enumerate(lines):
            _draw_plated(image, line, (x, y + (i - (len(lines) - 1) / 2) * height * 1.7), height, ground)
        if not lines:
            shapes.fill(image, shapes.disc(size, size, (x, y), max(2.0, size * 0.07)), ink)
        return
    if beside:
        shapes.fill(image, shapes.disc(size, size, (x, y), reach * 1.35), ground)
    right, down = DIRECTIONS[action]
    tail, tip = (x - right * reach, y - down * reach), (x + right * reach, y + down * reach)
    pen = max(1.2, size * 0.035)
    back = reach * 0.7
    aside = reach * 0.6
    wings = [(tip[0] - right * back + s * down * aside, tip[1] - down * back + s * right * aside) for s in (-1, 1)]
    for line_points in ([tail, tip], [wings[0], tip, wings[1]]):
        shapes.fill(image, shapes.polyline(size, size, line_points, pen), ink, 0.85)


def _draw_number(image: Image, number: str, ground: Colour, beside: bool) -> None:
    size = image.shape[0]
    height = max(SMALLEST_LETTERS, size * (0.13 if beside else 0.17))
    _draw_plated(image, number, (size / 2, size - height if beside else size * 0.8), height, ground)


def _draw_plated(image: Image, text: str, centre: PixelPoint, height: float, ground: Colour) -> None:
    """Small text on a plate of the ground's colour, moved inwards and shrunk until the cell holds it."""
    size = image.shape[0]
    while text_width(text, height) > size - 3 and height > SMALLEST_LETTERS:
        height -= 0.5
    half = text_width(text, height) / 2
    x = min(max(centre[0], half + 1), size - half - 2)
    shapes.fill(image, shapes.box(size, size, (x, centre[1]), (half + 1, height * 0.85), height * 0.4), ground)
    write_centred(image, text, (x, centre[1]), height, palette.readable_colour(ground))
