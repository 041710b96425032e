"""The tile atlas: every appearance of a cell is drawn once; a frame is then copied together from rows of tiles.

T: tile size in pixels; n: number of appearances. The atlas is uint8[T, n, 3 T], so that the pixel rows of a row of
tiles are one `take` along n, straight into the frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from renderers.drawing.tiles import CellAppearance, draw_tile

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
        """The number of an appearance, which is drawn when first asked for."""
        known = self._number.get(appearance)
        if known is None:
            known = self._number[appearance] = self._draw(appearance)
        return known

    def _draw(self, appearance: CellAppearance) -> int:
        position = len(self._number)
        if position == self.pixels.shape[1]:
            self.pixels = np.concatenate([self.pixels, np.zeros_like(self.pixels)], axis=1)
        self.pixels[:, position] = draw_tile(appearance, self.size).reshape(self.size, 3 * self.size)
        return position
