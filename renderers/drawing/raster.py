"""Grids to pixels with numpy alone, uint8[H, W, 3]: floor, overlays and marks from an atlas of tiles, or a frame.

Every appearance of a cell is drawn once, into the atlas; a grid is then copied together from rows of tiles. T: tile
size in pixels; n: number of appearances. The atlas is uint8[T, n, 3 T], so that the pixel rows of a row of tiles
are one `take` along n, straight into the picture.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.scene import Heat, Overlay, Scene, Signs, frame_pixels
from renderers.drawing.palette import FLOOR
from renderers.drawing.shapes import Image, blank, is_drawing_vectors, paste
from renderers.drawing.tiles import CellAppearance, CellPosition, draw_tile, find_base_appearances, find_symbols

INITIAL_CAPACITY = 64
MAX_APPEARANCES = 4096
MAX_BYTES = 200_000_000


class Atlas:
    """Appearances by number and their pixels; emptied at `MAX_APPEARANCES` or `MAX_BYTES`, so that it cannot grow."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pixels: NDArray[np.uint8] = np.zeros((size, INITIAL_CAPACITY, 3 * size), dtype=np.uint8)
        self.generation = 0
        self._number: dict[CellAppearance, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def reserve(self, appearances: int) -> None:
        """Empty the atlas if so many more might not fit; callers that keep numbers compare `generation` afterwards."""
        most = min(MAX_APPEARANCES, MAX_BYTES // (3 * self.size**2))
        if len(self._number) + appearances > max(most, appearances):
            self._number.clear()
            self.generation += 1

    def number(self, appearance: CellAppearance) -> int:
        """Return the number of an appearance, which is drawn when first asked for."""
        number = self._number.get(appearance)
        if number is None:
            number = self._number[appearance] = self._draw(appearance)
        return number

    def _draw(self, appearance: CellAppearance) -> int:
        position = len(self._number)
        if position == self.pixels.shape[1]:
            self.pixels = np.concatenate([self.pixels, np.zeros_like(self.pixels)], axis=1)
        self.pixels[:, position] = draw_tile(appearance, self.size).reshape(self.size, 3 * self.size)
        return position


SMALLEST, LARGEST = 4, 256
ROWS_WITHOUT_FLOOR = 8  # tiles that a frame is high which lies on no floor
HEAT_SHARE = 0.55


class Raster:
    """Draws the grids of scenes, tile by tile; it remembers the last frame and copies only the tiles that changed.

    tile: pixels a cell is wide and high; BadValue where that is outside SMALLEST .. LARGEST. signs: sprites or letters.
    """

    def __init__(self, tile: int = 48, signs: Signs = "sprites") -> None:
        if not SMALLEST <= tile <= LARGEST:
            raise BadValue(
                f"tiles of {tile} pixels", place="raster", remedy=f"choose a tile size from {SMALLEST} to {LARGEST}"
            )
        self.tile = tile
        self._signs: Signs = signs
        self._atlas = Atlas(tile)
        self._floor: tuple[str, ...] = ()
        self._overlays: tuple[Overlay, ...] = ()
        self._generation = -1
        self._appearances: dict[CellPosition, CellAppearance] = {}
        self._base: NDArray[np.int64] = np.zeros((0, 0), dtype=np.int64)
        self._shown: NDArray[np.int64] = self._base
        self._frame: Image = np.zeros((0, 0, 3), dtype=np.uint8)

    def grid(self, scene: Scene) -> Image:
        """Return the scene's floor, overlays and marks, or its frame, as a new array, `tile` pixels a cell."""
        return self.draw_shared_grid(scene).copy()

    def draw_shared_grid(self, scene: Scene) -> Image:
        """Like `grid`, but a read-only view of the frame that the next call changes: for viewers and encoders."""
        if scene.frame is not None:
            return draw_frame(scene, self)
        if is_drawing_vectors():
            return self._draw_sheet(scene)
        numbers = self._numbers(scene)
        changed = np.argwhere(numbers != self._shown)
        if len(changed) * 4 > numbers.size:
            self._draw_all(numbers)
        else:
            self._draw_some(numbers, changed)
        self._shown = numbers
        view = self._frame.view()
        view.flags.writeable = False
        return view

    def _draw_sheet(self, scene: Scene) -> Image:
        """Return the grid on a sheet of its own, tile by tile."""
        tile = self.tile
        symbols = find_symbols(scene, self._signs)
        sheet = blank(len(scene.floor) * tile, (len(scene.floor[0]) if scene.floor else 0) * tile, FLOOR)
        for (row, column), appearance in find_base_appearances(scene.floor, scene.overlays).items():
            shown = appearance._replace(symbols=symbols.get((row, column), ()))
            paste(sheet, draw_tile(shown, tile), row * tile, column * tile)
        return sheet

    def redraw_all(self) -> None:
        """Draw every tile anew next time."""
        self._shown = np.full_like(self._shown, -1)

    def _numbers(self, scene: Scene) -> NDArray[np.int64]:
        """int64[rows, columns]: the number of each cell's appearance in the atlas."""
        symbols_by_cell = find_symbols(scene, self._signs)
        cells = sum(map(len, scene.floor))
        self._atlas.reserve(cells + len(symbols_by_cell))
        stale = self._generation != self._atlas.generation
        if stale or not (_is_same(scene.floor, self._floor) and _is_same(scene.overlays, self._overlays)):
            self._set_base(scene)
        numbers = self._base.copy()
        for cell, cell_symbols in symbols_by_cell.items():
            appearance = self._appearances.get(cell)
            if appearance is not None:
                numbers[cell] = self._atlas.number(appearance._replace(symbols=cell_symbols))
        return numbers

    def _set_base(self, scene: Scene) -> None:
        shape = len(scene.floor), len(scene.floor[0]) if scene.floor else 0
        self._appearances = find_base_appearances(scene.floor, scene.overlays)
        number = self._atlas.number
        self._base = np.array(
            [number(appearance) for appearance in self._appearances.values()], dtype=np.int64
        ).reshape(shape)
        self._floor = scene.floor
        self._overlays = scene.overlays
        if self._shown.shape != shape:
            self._frame = np.zeros((shape[0] * self.tile, shape[1] * self.tile, 3), dtype=np.uint8)
        if self._shown.shape != shape or self._generation != self._atlas.generation:
            self._shown = np.full(shape, -1, dtype=np.int64)
        self._generation = self._atlas.generation

    def _draw_all(self, numbers: NDArray[np.int64]) -> None:
        rows, columns = numbers.shape
        bands = self._frame.reshape(rows, self.tile, columns, 3 * self.tile)
        for row in range(rows):
            np.take(self._atlas.pixels, numbers[row], axis=1, out=bands[row], mode="clip")

    def _draw_some(self, numbers: NDArray[np.int64], changed: NDArray[np.intp]) -> None:
        rows, columns = numbers.shape
        bands = self._frame.reshape(rows, self.tile, columns, 3 * self.tile)
        for row, column in changed.tolist():
            bands[row, :, column] = self._atlas.pixels[:, numbers[row, column]]


def _is_same(first: object, second: object) -> bool:
    return first is second or first == second


def draw_frame(scene: Scene, raster: Raster) -> Image:
    """uint8[H, W, 3]: the scene's frame, `raster.tile` pixels a cell where there is a floor, with its overlays.

    An overlay shows where it differs from bare floor; heat is laid over the frame half transparent.
    """
    assert scene.frame is not None
    pixels = frame_pixels(scene.frame)
    if not scene.floor:
        height = ROWS_WITHOUT_FLOOR * raster.tile
        return resize_image(pixels, height, max(1, round(height * scene.frame.width / scene.frame.height)))
    picture = resize_image(pixels, len(scene.floor) * raster.tile, len(scene.floor[0]) * raster.tile).copy()
    if scene.overlays:
        bare = raster.grid(Scene(scene.floor))
        laid = raster.grid(replace(scene, marks=(), frame=None))
        seen = (laid != bare).any(axis=2)
        share = HEAT_SHARE if any(isinstance(overlay, Heat) for overlay in scene.overlays) else 1.0
        picture[seen] = np.rint(share * laid[seen] + (1.0 - share) * picture[seen]).astype(np.uint8)
    return picture


def resize_image(pixels: Image, height: int, width: int) -> Image:
    """Return an image of another size: the mean of the pixels that fall together, the nearest pixel where it grows."""
    return _resize_rows(_resize_rows(pixels, height).swapaxes(0, 1), width).swapaxes(0, 1)


def _resize_rows(pixels: Image, rows: int) -> Image:
    count = len(pixels)
    if rows >= count:
        return pixels[np.arange(rows) * count // rows]
    edges = np.arange(rows) * count // rows
    sums = np.add.reduceat(pixels.astype(np.uint32), edges, axis=0)
    lengths = np.diff(np.append(edges, count)).astype(np.uint32)
    means: Image = ((sums + lengths[:, None, None] // 2) // lengths[:, None, None]).astype(np.uint8)
    return means
