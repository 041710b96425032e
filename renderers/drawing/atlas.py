"""The tile atlas: every look is drawn once, and a frame is then copied together from rows of tiles.

T: tile size in pixels; n: looks known. The atlas is uint8[T, n, 3 T], so that the pixel rows of a row of tiles are one
`take` along n, straight into the frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from renderers.drawing.tiles import Look, draw_tile

ROOM = 64
MOST = 4096


class Atlas:
    """Looks by number and their pixels; it forgets everything when it holds `MOST` looks, so that it cannot grow."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pixels: NDArray[np.uint8] = np.zeros((size, ROOM, 3 * size), dtype=np.uint8)
        self.generation = 0
        self._number: dict[Look, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def make_room(self, looks: int) -> None:
        """Forget all looks if so many more might not fit; whoever keeps numbers compares `generation` afterwards."""
        if len(self._number) + looks > max(MOST, looks):
            self._number.clear()
            self.generation += 1

    def number(self, look: Look) -> int:
        """The number of a look, drawn on first sight."""
        known = self._number.get(look)
        if known is None:
            known = self._number[look] = self._draw(look)
        return known

    def _draw(self, look: Look) -> int:
        position = len(self._number)
        if position == self.pixels.shape[1]:
            self.pixels = np.concatenate([self.pixels, np.zeros_like(self.pixels)], axis=1)
        self.pixels[:, position] = draw_tile(look, self.size).reshape(self.size, 3 * self.size)
        return position
