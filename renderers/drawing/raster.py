"""Grids to pixels with numpy alone: floor, overlays and marks from an atlas of tiles, uint8[H, W, 3]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.scene import Overlay, Scene
from renderers.drawing.atlas import Atlas
from renderers.drawing.cell_appearance import CellPosition, base_appearances, symbols
from renderers.drawing.shapes import Image
from renderers.drawing.tiles import CellAppearance

SMALLEST, LARGEST = 4, 256


class Raster:
    """Draws the grids of scenes, tile by tile; it remembers the last frame and copies only the tiles that changed.

    tile: pixels a cell is wide and high. Raises BadValue where that is outside SMALLEST .. LARGEST.
    """

    def __init__(self, tile: int = 48) -> None:
        if not SMALLEST <= tile <= LARGEST:
            raise BadValue(
                f"tiles of {tile} pixels", place="raster", remedy=f"choose a tile size from {SMALLEST} to {LARGEST}"
            )
        self.tile = tile
        self._atlas = Atlas(tile)
        self._floor: tuple[str, ...] = ()
        self._overlays: tuple[Overlay, ...] = ()
        self._generation = -1
        self._appearances: dict[CellPosition, CellAppearance] = {}
        self._base: NDArray[np.int64] = np.zeros((0, 0), dtype=np.int64)
        self._shown: NDArray[np.int64] = self._base
        self._frame: Image = np.zeros((0, 0, 3), dtype=np.uint8)

    def grid(self, scene: Scene) -> Image:
        """The scene's floor, overlays and marks as a new array, `tile` pixels a cell."""
        return self.shared_grid(scene).copy()

    def shared_grid(self, scene: Scene) -> Image:
        """Like `grid`, but a read-only view of the frame that the next call changes: for viewers and encoders."""
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

    def redraw_all(self) -> None:
        """Draw every tile anew next time."""
        self._shown = np.full_like(self._shown, -1)

    def _numbers(self, scene: Scene) -> NDArray[np.int64]:
        """int64[rows, columns]: the number of each cell's appearance in the atlas."""
        symbols_by_cell = symbols(scene)
        cells = sum(map(len, scene.floor))
        self._atlas.reserve(cells + len(symbols_by_cell))
        stale = self._generation != self._atlas.generation
        if stale or not (_same(scene.floor, self._floor) and _same(scene.overlays, self._overlays)):
            self._set_base(scene)
        numbers = self._base.copy()
        for cell, cell_symbols in symbols_by_cell.items():
            appearance = self._appearances.get(cell)
            if appearance is not None:
                numbers[cell] = self._atlas.number(appearance._replace(symbols=cell_symbols))
        return numbers

    def _set_base(self, scene: Scene) -> None:
        shape = len(scene.floor), len(scene.floor[0]) if scene.floor else 0
        self._appearances = base_appearances(scene.floor, scene.overlays)
        number = self._atlas.number
        self._base = np.array([number(each) for each in self._appearances.values()], dtype=np.int64).reshape(shape)
        self._floor, self._overlays = scene.floor, scene.overlays
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


def _same(first: object, second: object) -> bool:
    return first is second or first == second
