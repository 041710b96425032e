"""Pictures put together from blocks, below one another or side by side; a block knows where its images and grids are.

Images are copied once, when a block is drawn, however deep it lies in others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from renderers.drawing.palette import PAPER
from renderers.drawing.shapes import Image, blank, paste


class GridArea(NamedTuple):
    """A grid inside a picture: which panel it belongs to, its upper left pixel, its rows and columns, its tile size."""

    panel: tuple[int, ...]
    top: int
    left: int
    rows: int
    columns: int
    tile: int

    def cell(self, x: int, y: int) -> tuple[int, int] | None:
        """The (row, column) under a pixel, None outside the grid."""
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
        """The same on a rectangle at least as large."""
        return self._replace(height=max(height, self.height), width=max(width, self.width))


EMPTY = Block(0, 0)


def make_block(image: Image, areas: tuple[GridArea, ...] = ()) -> Block:
    """An image and the grids on it."""
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
    """A block with a margin of paper around it."""
    moved = _combine([block], [(margin, margin)])
    return moved.enlarge(moved.height + margin, moved.width + margin)


def fit_image(image: Image, height: int, width: int) -> Image:
    """An image cut or filled up with paper to a size, in the upper left corner."""
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
