"""Pictures put together from blocks, below one another or side by side; a block records where its grids are."""

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


class Block(NamedTuple):
    """An image and the grids on it."""

    image: Image
    areas: tuple[GridArea, ...] = ()

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self.image.shape[0])

    @property
    def width(self) -> int:
        """Pixels."""
        return int(self.image.shape[1])


def stack(blocks: Sequence[Block], gap: int = 0) -> Block:
    """Blocks below one another, their left edges in line; empty ones take no gap."""
    places, top = [], 0
    blocks = [block for block in blocks if block.height]
    for block in blocks:
        places.append((top, 0))
        top += block.height + gap
    return _placed(blocks, places)


def beside(blocks: Sequence[Block], gap: int = 0) -> Block:
    """Blocks side by side, their upper edges in line."""
    places, left = [], 0
    for block in blocks:
        places.append((0, left))
        left += block.width + gap
    return _placed(blocks, places)


def framed(block: Block, margin: int) -> Block:
    """A block with a margin of paper around it."""
    image = blank(block.height + 2 * margin, block.width + 2 * margin, PAPER)
    paste(image, block.image, margin, margin)
    return Block(image, _moved(block.areas, margin, margin))


def widened(block: Block, width: int) -> Block:
    """A block with paper at its right up to a width."""
    return block if block.width >= width else Block(fitted(block.image, block.height, width), block.areas)


def fitted(image: Image, height: int, width: int) -> Image:
    """An image cut or filled up with paper to a size, in the upper left corner."""
    if image.shape[:2] == (height, width):
        return image
    sheet = blank(height, width, PAPER)
    paste(sheet, image, 0, 0)
    return sheet


def _placed(blocks: Sequence[Block], places: Sequence[tuple[int, int]]) -> Block:
    height = max((top + block.height for block, (top, _) in zip(blocks, places, strict=True)), default=0)
    width = max((left + block.width for block, (_, left) in zip(blocks, places, strict=True)), default=0)
    image, areas = blank(height, width, PAPER), list[GridArea]()
    for block, (top, left) in zip(blocks, places, strict=True):
        paste(image, block.image, top, left)
        areas += _moved(block.areas, top, left)
    return Block(image, tuple(areas))


def _moved(areas: Sequence[GridArea], down: int, right: int) -> tuple[GridArea, ...]:
    return tuple(area._replace(top=area.top + down, left=area.left + right) for area in areas)
