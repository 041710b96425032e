"""Tiles: from a scene to the appearance of every cell, as a value, and its drawing; equal cells share one tile.

The shape shows the role without colour (agent: disc; other: hexagon; object: rounded square; goal: diamond; door: tall
box; place: ring; danger: triangle), the letter shows the name.

A path is solid, dashed, of dashes and dots, or of long dashes, by the number of its role. Paths of other agents than
the acting one are dotted, those of numbered ones ("other 6") in pairs of dots. A pattern is symmetric about the middle
between two cells and begins anew at each cell, so that the cells of a path can be drawn one by one. Numbers count in
tiles from the middle of a cell to the middle of the next one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.plain_values import write_number
from engine.scene import Arrows, Heat, Mark, Overlay, Path, Scene, Signs
from renderers.drawing import palette, shapes
from renderers.drawing.palette import Colour
from renderers.drawing.shapes import Distance, Image, PixelPoint, fill
from renderers.drawing.sprites import draw_sprite, find_sprite, is_place, needs_letter
from renderers.drawing.stroke_font import text_width, wrap, write_centred

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
    """Return the pieces of a path of some role; "path 8" has the colour of "path 0" and another pattern."""
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


RAMP_STEPS = 64
_SIDES = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}
_BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
CellPosition = tuple[int, int]


def find_base_appearances(floor: tuple[str, ...], overlays: Sequence[Overlay]) -> dict[CellPosition, CellAppearance]:
    """Return the appearance of every cell without marks; of several heat maps the last one is drawn."""
    appearances = {
        (r, c): CellAppearance(wall=glyph == "#") for r, row in enumerate(floor) for c, glyph in enumerate(row)
    }
    for overlay in overlays:
        if isinstance(overlay, Heat):
            _add_heat(appearances, overlay)
        elif isinstance(overlay, Arrows):
            for row, column, action in overlay.cells:
                if (row, column) in appearances:
                    appearances[row, column] = appearances[row, column]._replace(arrow=action)
    paths = [overlay for overlay in overlays if isinstance(overlay, Path)]
    for i, path in enumerate(paths):
        offset = 0.0 if len(paths) == 1 else (i - (len(paths) - 1) / 2) * min(0.13, 0.6 / len(paths))
        _add_path(appearances, path, offset)
    return appearances


def find_symbols(scene: Scene, signs: Signs = "sprites") -> dict[CellPosition, tuple[Symbol, ...]]:
    """Return the symbols of the marks on each cell, in the scene's order."""
    symbols_by_cell: dict[CellPosition, tuple[Symbol, ...]] = {}
    for mark in scene.marks:
        cell = mark.row, mark.column
        symbols_by_cell[cell] = (*symbols_by_cell.get(cell, ()), make_symbol(mark, signs))
    return symbols_by_cell


def make_symbol(mark: Mark, signs: Signs) -> Symbol:
    """Return how a mark is shown: by its sprite, where it has one and sprites are wanted, else by its letter.

    Several alike, whose roles have numbers, are told apart by their letters.
    """
    told_by_letter = mark.role[-1:].isdigit() and mark.glyph != FACE
    sprite = find_sprite(mark.name, mark.role) if signs == "sprites" and not told_by_letter else ""
    if not sprite:
        return Symbol(mark.glyph, mark.role, mark.crossed)
    return Symbol(mark.glyph, mark.role, mark.crossed, sprite, needs_letter(mark.name), is_place(mark.name, mark.role))


def find_value_range(heat: Heat) -> tuple[float, float]:
    """Return the lowest and highest finite number of a heat map."""
    numbers = [number for _, _, number in select_finite_cells(heat)]
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


def select_finite_cells(heat: Heat) -> list[tuple[int, int, float]]:
    """Return the cells of a heat map whose numbers can be shown; the others are left without colour."""
    return [cell for cell in heat.cells if math.isfinite(cell[2])]


def compute_relative_position(number: float, low: float, high: float) -> float:
    """Where a number lies between two others, in [0, 1]; the middle where they are equal."""
    return (number - low) / (high - low) if high > low else 0.5


def trim_number(number: float) -> str:
    """Return a number in at most about five characters."""
    if number == int(number) and abs(number) < 1e5:
        return f"{int(number)}"
    digits = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    return f"{number:.{digits}f}" if 0.005 <= abs(number) < 1e5 else write_number(number, 1)


def drop_repeats(path: Path) -> list[CellPosition]:
    """Return the cells of a path, one for each time it enters a cell."""
    return [cell for i, cell in enumerate(path.cells) if i == 0 or cell != path.cells[i - 1]]


def find_neighbour_side(cell: CellPosition, neighbour: CellPosition) -> str:
    """On which side of a cell another one lies: "up", "down", "left", "right", or "" where it is not a neighbour."""
    return _SIDES.get((neighbour[0] - cell[0], neighbour[1] - cell[1]), "")


def _add_heat(appearances: dict[CellPosition, CellAppearance], heat: Heat) -> None:
    low, high = find_value_range(heat)
    for row, column, number in select_finite_cells(heat):
        if (row, column) in appearances:
            step = round(compute_relative_position(number, low, high) * RAMP_STEPS) / RAMP_STEPS
            appearances[row, column] = appearances[row, column]._replace(heat=step, number=trim_number(number))


def _add_path(appearances: dict[CellPosition, CellAppearance], path: Path, offset: float) -> None:
    visited = drop_repeats(path)
    sides: dict[CellPosition, set[str]] = {cell: set() for cell in visited}
    last = ""
    for cell, following in pairwise(visited):
        last = find_neighbour_side(cell, following)
        if last:
            sides[cell].add(last)
            sides[following].add(_BACK[last])
    for cell, crossed_sides in sides.items():
        if cell in appearances:
            ends = last if cell == visited[-1] else "first" if cell == visited[0] else ""
            segment = PathSegment(path.role, tuple(sorted(crossed_sides)), offset, ends)
            appearances[cell] = appearances[cell]._replace(segments=(*appearances[cell].segments, segment))


DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
FACE = "@"
MORE = "…"
ARTICLES = ("a", "an", "the")
SMALLEST_LETTERS = 4.5  # pixels a capital
LEAST_SPRITE = 9.0  # pixels across, below which a letter in the shape of its role reads better
SPRITE_REACH = 1.12  # of a sprite beyond the body that a role has
_CORNERS: dict[str, tuple[PixelPoint, ...]] = {
    "other": ((-0.5, -0.87), (0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0)),
    "goal": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "danger": ((0, -1), (1, 0.8), (-1, 0.8)),
}
_BOXES = ("object", "place", "feature", "gain", "loss", "changed")


class Symbol(NamedTuple):
    """A mark without its place: its glyph, its role, whether it is crossed out, and its sprite.

    sprite: "" shows the glyph in the shape of its role. lettered: whether a sprite has the glyph beside it. hollow:
    whether it is drawn in outlines, as where a thing may lie.
    """

    glyph: str
    role: str
    crossed: bool
    sprite: str = ""
    lettered: bool = False
    hollow: bool = False


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
    """Return the image of an appearance, uint8[size, size, 3]."""
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


def _draw_sprite(image: Image, symbol: Symbol, centre: PixelPoint, radius: float) -> None:
    """A sprite in the colour of its role, that of a place in outlines only; with its letter where several are alike."""
    size = image.shape[0]
    body = palette.FLOOR if symbol.hollow else palette.colour(symbol.role)
    ink = palette.PALE_INK if symbol.hollow else palette.INK
    if symbol.role == "plain":
        body = palette.WHITE
    light = palette.WHITE
    draw_sprite(image, symbol.sprite, centre, radius, body, ink, light)
    if symbol.crossed:
        shapes.cross_out(image, centre, radius)
    if symbol.lettered and symbol.glyph != FACE:
        height = max(SMALLEST_LETTERS, radius * 0.5)
        x, y = centre[0] + radius * 0.75, centre[1] + radius * 0.7
        half = text_width(symbol.glyph[:3], height) / 2 + 1
        x = min(x, size - half - 1)
        y = min(y, size - height)
        shapes.fill(image, shapes.box(size, size, (x, y), (half, height * 0.8), height * 0.4), palette.PAPER)
        write_centred(image, symbol.glyph[:3], (x, y), height, palette.INK, bold=height > 7)


def _draw_symbol(image: Image, symbol: Symbol, centre: PixelPoint, radius: float) -> None:
    size = image.shape[0]
    if symbol.sprite and 2 * radius >= LEAST_SPRITE:
        _draw_sprite(image, symbol, centre, radius * SPRITE_REACH)
        return
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
    """Return the outline of a role as a signed distance."""
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
