"""A whole scene as one picture: caption, grid with legends, readings, panels side by side, charts; and a film's frames.

Words are sized by the tile; every scene of a film is drawn on a sheet of the same size.

Pictures are put together from blocks, below one another or side by side; a block knows where its images and grids are.
Images are copied once, when a block is drawn, however deep it lies in others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from engine.errors import BadValue
from engine.scene import Heat, Mark, Path, Scene, Signs, all_scenes
from renderers.charts import draw_charts, least_width
from renderers.drawing import palette
from renderers.drawing.palette import PAPER
from renderers.drawing.raster import Raster
from renderers.drawing.shapes import Image, blank, is_drawing_vectors, paste
from renderers.drawing.stroke_font import line_height, paragraph, shorten, text_width, write
from renderers.drawing.tiles import (
    CellAppearance,
    Symbol,
    draw_stretches,
    draw_tile,
    find_value_range,
    make_symbol,
    trim_number,
)


class GridArea(NamedTuple):
    """A grid inside a picture: which panel it belongs to, its upper left pixel, its rows and columns, its tile size."""

    panel: tuple[int, ...]
    top: int
    left: int
    rows: int
    columns: int
    tile: int

    def cell(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the (row, column) under a pixel, None outside the grid."""
        row, column = (y - self.top) // self.tile, (x - self.left) // self.tile
        return (row, column) if 0 <= row < self.rows and 0 <= column < self.columns else None


class Placed(NamedTuple):
    """An image and its upper left pixel on a block."""

    image: Image
    top: int
    left: int


class Block(NamedTuple):
    """A rectangle of paper in pixels, the images that lie on it and the grids among them."""

    height: int
    width: int
    images: tuple[Placed, ...] = ()
    areas: tuple[GridArea, ...] = ()

    @property
    def image(self) -> Image:
        """uint8[H, W, 3], drawn anew."""
        sheet = blank(self.height, self.width, PAPER)
        self.draw_on(sheet, 0, 0)
        return sheet

    def draw_on(self, sheet: Image, top: int, left: int) -> None:
        """Copy the images onto a sheet of paper."""
        for placed in self.images:
            paste(sheet, placed.image, top + placed.top, left + placed.left)

    def enlarge(self, height: int, width: int) -> Block:
        """Return the same on a rectangle at least as large."""
        return self._replace(height=max(height, self.height), width=max(width, self.width))


EMPTY = Block(0, 0)


def make_block(image: Image, areas: tuple[GridArea, ...] = ()) -> Block:
    """Return an image and the grids on it."""
    return Block(image.shape[0], image.shape[1], (Placed(image, 0, 0),), areas)


def stack(blocks: Sequence[Block], gap: int = 0) -> Block:
    """Blocks below one another, their left edges in line; empty ones take no gap."""
    corners = []
    top = 0
    blocks = [block for block in blocks if block.height]
    for block in blocks:
        corners.append((top, 0))
        top += block.height + gap
    return _combine(blocks, corners)


def put_beside(blocks: Sequence[Block], gap: int = 0) -> Block:
    """Blocks side by side, their upper edges in line."""
    corners = []
    left = 0
    for block in blocks:
        corners.append((0, left))
        left += block.width + gap
    return _combine(blocks, corners)


def add_margin(block: Block, margin: int) -> Block:
    """Return a block with a margin of paper around it."""
    moved = _combine([block], [(margin, margin)])
    return moved.enlarge(moved.height + margin, moved.width + margin)


def fit_image(image: Image, height: int, width: int) -> Image:
    """Return an image cut or filled up with paper to a size, in the upper left corner."""
    if image.shape[:2] == (height, width):
        return image
    sheet = blank(height, width, PAPER)
    paste(sheet, image, 0, 0)
    return sheet


def _combine(blocks: Sequence[Block], corners: Sequence[tuple[int, int]]) -> Block:
    height = max((top + block.height for block, (top, _) in zip(blocks, corners, strict=True)), default=0)
    width = max((left + block.width for block, (_, left) in zip(blocks, corners, strict=True)), default=0)
    images = list[Placed]()
    areas = list[GridArea]()
    for block, (top, left) in zip(blocks, corners, strict=True):
        images += (Placed(image, down + top, right + left) for image, down, right in block.images)
        areas += (area._replace(top=area.top + top, left=area.left + left) for area in block.areas)
    return Block(height, width, tuple(images), tuple(areas))


LEAST_WIDTH_IN_TILES = 5
LEAST_WIDTH_IN_CAPITALS = 8
MOST_PIXELS = 100_000_000
MOST_KEPT = 64_000_000  # bytes of pictures of a film that are drawn once
READINGS_IN_CAPITALS = 24
CHARTS_IN_CAPITALS = 64


class Painter:
    """Draws whole scenes; one `Raster` for each panel keeps what it has drawn.

    A caption takes as much room as the highest one before it, so that grids stay in place in a film; captions_grew:
    whether one has been higher than those before it.

    tile: pixels a cell. legend: whether to explain the marks below each grid. readings: whether to show the readings.
    largest_type: of captions and legends, pixels a capital; smaller tiles have smaller type. room: pixels across that
    captions and charts without a grid may take. signs: whether things are sprites or letters.
    """

    def __init__(
        self,
        tile: int = 48,
        *,
        legend: bool = True,
        readings: bool = True,
        largest_type: float = 14.0,
        room: float = math.inf,
        signs: Signs = "sprites",
    ) -> None:
        self.tile = tile
        self._signs: Signs = signs
        self._legend = legend
        self._readings = readings
        self.font_size = max(7.5, min(largest_type, tile * 0.22))
        self._gap = round(self.font_size * 0.9)
        self._least_width = max(LEAST_WIDTH_IN_TILES * tile, round(LEAST_WIDTH_IN_CAPITALS * self.font_size))
        self._widest_chart = min(self.font_size * CHARTS_IN_CAPITALS, room - 2 * round(self.font_size))
        self._rasters: dict[tuple[int, ...], Raster] = {(): Raster(tile, signs)}
        self._caption_heights: dict[tuple[int, ...], int] = {}
        self._mark_legends: dict[tuple[Symbol, str], Image] = {}
        self.captions_grew = False

    def picture(self, scene: Scene) -> Image:
        """Return uint8[H, W, 3], as large as the scene needs."""
        return self.block(scene).image

    def legend(self, scenes: Sequence[Scene], width: int) -> Image | None:
        """Return what paths and marks of scenes are called, each once, uint8[H, width, 3]; None without any."""
        legend = self._draw_legend(scenes, width)
        return None if legend is None else legend.enlarge(0, width).image

    def block(self, scene: Scene) -> Block:
        """Return the picture and where its grids are."""
        return add_margin(self._make_block(scene, ()), round(self.font_size))

    def _make_block(self, scene: Scene, panel: tuple[int, ...]) -> Block:
        body = self._draw_body(scene, panel)
        return stack([self._draw_caption(scene, panel, body.width), body], self._gap)

    def _draw_caption(self, scene: Scene, panel: tuple[int, ...], width: int) -> Block:
        if not scene.caption:
            return EMPTY
        image = paragraph(scene.caption, width, self.font_size, bold=not panel)
        high = self._caption_heights.setdefault(panel, image.shape[0])
        if image.shape[0] > high:
            high = self._caption_heights[panel] = image.shape[0]
            self.captions_grew = True
        return make_block(image).enlarge(high, 0)

    def _draw_body(self, scene: Scene, panel: tuple[int, ...]) -> Block:
        """Everything but the caption, and at least as wide as a caption needs."""
        parts: list[Block] = []
        if scene.floor or scene.frame is not None:
            parts.append(self._draw_grid(scene, panel))
        if scene.panels:
            columns = scene.columns or len(scene.panels)
            numbered = [(inner, (*panel, i)) for i, inner in enumerate(scene.panels)]
            rows = [self._draw_row(numbered[i : i + columns]) for i in range(0, len(numbered), columns)]
            wide = [max(block.width for block in column) for column in zip_longest(*rows, fillvalue=EMPTY)]
            level = [[block.enlarge(0, width) for block, width in zip(row, wide, strict=False)] for row in rows]
            parts.append(stack([put_beside(row, 2 * self._gap) for row in level], 2 * self._gap))
        least = self._widest_chart if scene.charts and not parts else self._least_width
        words = min(least_width(scene.charts, self.font_size), self._widest_chart)
        width = max([round(least), round(words), *(part.width for part in parts)])
        parts += [make_block(image) for image in draw_charts(scene.charts, width, self.font_size)]
        if scene.panels and not panel and (legend := self._draw_legend(all_scenes(scene), width)) is not None:
            parts.append(legend)
        has_grid = scene.floor or scene.frame is not None
        if self._readings and scene.readings and (panel or not has_grid):
            parts.append(self._draw_readings(scene.readings, width))
        return stack(parts, self._gap).enlarge(0, width)

    def _draw_row(self, numbered: Sequence[tuple[Scene, tuple[int, ...]]]) -> list[Block]:
        """Panels of one row, their captions as high as the highest, so that the grids are level."""
        bodies = [self._draw_body(scene, panel) for scene, panel in numbered]
        captions = [
            self._draw_caption(scene, panel, body.width) for (scene, panel), body in zip(numbered, bodies, strict=True)
        ]
        high = max(caption.height for caption in captions)
        level = [caption.enlarge(high, 0) for caption in captions]
        return [stack(pair, self._gap) for pair in zip(level, bodies, strict=True)]

    def _draw_grid(self, scene: Scene, panel: tuple[int, ...]) -> Block:
        """Return the grid with its heat legend and readings at the right, path names and legend below."""
        raster = self._rasters.setdefault(panel, Raster(self.tile, self._signs))
        rows = len(scene.floor)
        columns = len(scene.floor[0]) if scene.floor else 0
        image = raster.draw_shared_grid(scene)
        grid = make_block(image, (GridArea(panel, 0, 0, rows, columns, self.tile),))
        right = [grid]
        gap = self._gap
        heats = [overlay for overlay in scene.overlays if isinstance(overlay, Heat) and overlay.cells]
        if heats:
            right.append(make_block(self._draw_heat_legend(heats[-1], grid.height)))
        block = put_beside(right, gap)
        width = max(block.width, self._least_width)
        if not panel and (legend := self._draw_legend([scene], width)) is not None:
            block = stack([block, legend], gap)
        if self._readings and scene.readings and not panel:
            words = self._draw_readings(scene.readings, round(READINGS_IN_CAPITALS * self.font_size))
            block = put_beside([block, words], 2 * gap)
        return block

    def _draw_legend(self, scenes: Sequence[Scene], width: int) -> Block | None:
        """Return what the paths and marks of scenes are called, each once; None where there is nothing to explain."""
        paths = [overlay for scene in scenes for overlay in scene.overlays if isinstance(overlay, Path)]
        marks = [mark for scene in scenes if scene.frame is None for mark in scene.marks]
        named = {(path.name, path.role): path for path in paths if path.name}
        flows = [_flow([self._draw_path_legend(path) for path in named.values()], width, self._gap)] if named else []
        if self._legend and marks:
            flows.append(
                _flow([self._draw_mark_legend(mark) for mark in _list_distinct_marks(marks)], width, self._gap)
            )
        return stack(flows, self._gap) if flows else None

    def _draw_readings(self, readings: Sequence[tuple[str, str]], width: int) -> Block:
        """Readings as lines: the label pale, the text dark and wrapped below it where both do not fit on one line."""
        size = self.font_size
        lines = []
        for label, text in readings:
            pale = text_width(f"{label}  ", size)
            room = width
            if pale + text_width(text, size) <= room:
                line = blank(line_height(size), width, PAPER)
                write(line, f"{label}  ", 0, 0, size, palette.PALE_INK)
                write(line, text, pale, 0, size, bold=True)
                lines.append(make_block(line))
            else:
                lines.append(make_block(paragraph(label, width, size, palette.PALE_INK)))
                lines.append(make_block(paragraph(text, width, size, bold=True)))
        return stack(lines, 2)

    def _draw_heat_legend(self, heat: Heat, height: int) -> Image:
        """Return the ramp from the highest number (top) to the lowest, with the map's name above it."""
        size = self.font_size
        bar = max(10, self.tile // 4)
        low, high = find_value_range(heat)
        words = [trim_number(high), trim_number((low + high) / 2), trim_number(low)]
        name = shorten(heat.name, max(6 * self.tile, 80), size)
        wide = max(bar + 6 + max(text_width(word, size) for word in words), text_width(name, size))
        image = blank(height, wide, PAPER)
        top = line_height(size)
        write(image, name, 0, 0, size, palette.PALE_INK)
        for y in range(top, height):
            image[y, :bar] = palette.heat_colour(1 - (y - top) / max(1, height - top - 1))
        for word, share in zip(words, (0.0, 0.5, 1.0), strict=True):
            write(image, word, bar + 6, top + share * (height - top - line_height(size)), size)
        return image

    def _draw_path_legend(self, path: Path) -> Image:
        size = self.font_size
        high = line_height(size)
        dash = round(size * 3.2)
        image = blank(high, dash + round(size * 0.6) + text_width(path.name, size), PAPER)
        ends = (size * 0.4, high / 2), (dash - size * 0.4, high / 2)
        draw_stretches(image[:, :dash], path.role, [ends], size * 2.4, size * 0.4)
        write(image, path.name, dash + size * 0.6, 0, size)
        return image

    def _draw_mark_legend(self, mark: Mark) -> Image:
        """Return a mark and its name, drawn once for all scenes."""
        symbol = make_symbol(mark, self._signs)
        known = self._mark_legends.get((symbol, mark.name))
        if known is not None:
            return known
        size = self.font_size
        side = round(line_height(size) * 1.25)
        image = blank(side, side + round(size * 0.6) + text_width(mark.name, size), PAPER)
        image[:, :side] = draw_tile(CellAppearance(symbols=(symbol,)), side)
        write(image, mark.name, side + size * 0.6, (side - line_height(size)) / 2, size)
        self._mark_legends[symbol, mark.name] = image
        return image


def draw_picture(scene: Scene, tile: int = 48, signs: Signs = "sprites") -> Image:
    """Return one scene, uint8[H, W, 3], dark inside `dark_pictures` unless it is a sheet of vectors.

    BadValue, before anything is drawn, for a picture of more than MOST_PIXELS.
    """
    _require_pixels([scene], tile)
    picture = Painter(tile, signs=signs).picture(scene)
    return palette.darken(picture) if palette.is_dark() and not is_drawing_vectors() else picture


def draw_frames(film: Sequence[Scene], tile: int = 48, signs: Signs = "sprites") -> Iterator[Image]:
    """The frames of a film, all of the size of the largest; what has no room in MOST_KEPT is drawn two or three times.

    Inside `dark_pictures` they are dark. Raises BadValue, before anything is drawn, for more than MOST_PIXELS.
    """
    _require_pixels(film, tile)
    painter = Painter(tile, signs=signs)
    sizes, kept = _draw_all(painter, film)
    if painter.captions_grew:
        sizes, kept = _draw_all(painter, film)
    height, width = (max((size[i] for size in sizes), default=0) for i in (0, 1))
    for number, scene in enumerate(film):
        picture = kept[number] if number < len(kept) else painter.picture(scene)
        frame = fit_image(picture, height, width)
        yield palette.darken(frame) if palette.is_dark() else frame


def _draw_all(painter: Painter, film: Sequence[Scene]) -> tuple[set[tuple[int, ...]], list[Image]]:
    """Return the sizes of the pictures, and the first ones, as many as have room in MOST_KEPT."""
    sizes, kept, room = set[tuple[int, ...]](), list[Image](), MOST_KEPT
    for scene in film:
        picture = painter.picture(scene)
        sizes.add(picture.shape[:2])
        room -= picture.nbytes
        if room >= 0:
            kept.append(picture)
    return sizes, kept


def _require_pixels(film: Sequence[Scene], tile: int) -> None:
    largest = max((_count_cells(scene) for scene in film), default=0) * tile**2
    if largest > MOST_PIXELS:
        problem = f"a frame of about {largest / 1e6:.0f} million pixels"
        raise BadValue(problem, place="film", remedy=f"at most {MOST_PIXELS / 1e6:.0f}; choose a smaller tile")


def _count_cells(scene: Scene) -> int:
    """Return how many cells of the floor a scene and its panels show."""
    return sum(len(panel.floor) * len(panel.floor[0]) for panel in all_scenes(scene) if panel.floor)


def _list_distinct_marks(marks: Iterable[Mark]) -> list[Mark]:
    """Return one mark for every name and glyph, in order of appearance."""
    return list({(mark.name, mark.glyph, mark.role): mark for mark in marks}.values())


def _flow(images: Sequence[Image], width: int, gap: int) -> Block:
    """Images side by side, in a new line wherever the next one does not fit."""
    lines: list[list[Block]] = [[]]
    for image in images:
        used = sum(block.width + gap for block in lines[-1])
        if lines[-1] and used + image.shape[1] > width:
            lines.append([])
        lines[-1].append(make_block(image))
    return stack([put_beside(line, gap) for line in lines], 2)
