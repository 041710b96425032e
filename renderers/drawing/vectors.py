"""Pictures as vectors: what is drawn on a sheet is kept as outlines, beside the pixels.

A shape is a signed distance (`renderers.drawing.shapes`); its outline is the contour at 0, exact to a small part of a
pixel where the distance is linear between pixels. Sheets are images, so that whatever draws on images draws on them.
Pixels that come from elsewhere, such as a world's own frame, stay pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import MissingExtra

Outline: TypeAlias = NDArray[np.float64]
"""float64[N, 2]: (x, y), pixels; closed"""
FAR = 2.0  # pixels from an outline beyond which its distance does not matter
LEAST = 1e-6  # pixels: an outline on the very edge is outside, or it would not be closed
CUT = 0.4
"""A shape that is cut off ends a fifth of a pixel beyond its image, so that no seam shows; 1 would be the edge."""

_is_recording: ContextVar[bool] = ContextVar("pictures are drawn as vectors", default=False)


class Words(NamedTuple):
    """What outlines spell: a line of text, the left end of its baseline, the height of a capital, and its width."""

    text: str
    x: float
    y: float
    size: float
    width: float
    bold: bool = False


class Filled(NamedTuple):
    """Outlines that are filled together, an outline inside another one being a hole. words: what they spell."""

    outlines: tuple[Outline, ...]
    colour: tuple[int, int, int]
    opacity: float = 1.0
    words: Words | None = None


class Patch(NamedTuple):
    """An image with its upper left corner at (x, y)."""

    image: NDArray[np.uint8]
    x: float
    y: float


Drawing: TypeAlias = Filled | Patch


@contextmanager
def draw_vectors() -> Iterator[None]:
    """Blank images that are made inside are sheets."""
    token = _is_recording.set(True)
    try:
        yield
    finally:
        _is_recording.reset(token)


def is_drawing_vectors() -> bool:
    """Whether blank images are sheets."""
    return _is_recording.get()


class Sheet(np.ndarray[Any, Any]):
    """An image, uint8[H, W, 3], that keeps what is drawn on it or on its views. drawn: by all of them, in order."""

    drawn: list[Drawing]
    _first: int
    _row_bytes: int

    @staticmethod
    def make(height: int, width: int) -> Sheet:
        """Return an empty sheet."""
        sheet = np.empty((height, width, 3), dtype=np.uint8).view(Sheet)
        sheet.drawn = []
        sheet._first = sheet._address()
        sheet._row_bytes = max(1, 3 * width)
        return sheet

    def __array_finalize__(self, other: Any) -> None:
        self.drawn = getattr(other, "drawn", [])
        self._first = getattr(other, "_first", 0)
        self._row_bytes = getattr(other, "_row_bytes", 1)

    def __setitem__(self, where: Any, value: Any) -> None:
        super().__setitem__(where, value)
        place = self[where]
        if isinstance(place, Sheet) and place.ndim >= 2 and np.may_share_memory(place, self):
            place.keep(value)
        else:
            self.keep(np.asarray(self).copy())

    def keep(self, value: Any) -> None:
        """Keep that this view was covered by a colour, a sheet or other pixels."""
        if not self.size:
            return
        x, y = self._corner()
        height, width = (1, self.shape[0]) if self.ndim == 2 else self.shape[:2]
        if isinstance(value, Sheet) and value.ndim == 3:
            left, top = value._corner()
            self.drawn += [_move(one, x - left, y - top) for one in list(value.drawn)]
        elif np.ndim(value) == 1:
            red, green, blue = (int(channel) for channel in value)
            corners = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], dtype=np.float64)
            self.drawn.append(Filled((corners,), (red, green, blue)))
        else:
            self.drawn.append(Patch(np.asarray(self).reshape(height, width, 3).copy(), x, y))

    def keep_shape(
        self,
        distance: NDArray[np.float64],
        colour: tuple[int, int, int],
        opacity: float,
        words: Words | None = None,
    ) -> None:
        """Keep that a shape was filled on this view."""
        if distance.size and (outlines := trace_outlines(np.broadcast_to(distance, self.shape[:2]))):
            filled = Filled(tuple(outlines), colour, opacity, words)
            self.drawn.append(_move(filled, *self._corner()))

    def _address(self) -> int:
        return int(self.__array_interface__["data"][0])

    def _corner(self) -> tuple[int, int]:
        """(x, y) of the view on its sheet, whose rows lie one after the other."""
        row, rest = divmod(self._address() - self._first, self._row_bytes)
        return rest // 3, row


def trace_outlines(distance: NDArray[np.float64]) -> list[Outline]:
    """Return the outlines of a shape, cut off where its image ends; MissingExtra without matplotlib's contourpy."""
    try:
        from contourpy import contour_generator
    except ImportError as error:
        remedy = "pip install 'caregrid[plot]'"
        raise MissingExtra("figures need matplotlib", place="figure", remedy=remedy) from error

    near = np.clip(distance, -FAR, FAR)
    inner = np.pad(near, 1, mode="edge")
    rim = np.ones(inner.shape, dtype=bool)
    rim[1:-1, 1:-1] = False
    inner[rim] = CUT * np.maximum(np.abs(inner[rim]), LEAST)
    height, width = distance.shape
    across, along = np.arange(-1, width + 1) + 0.5, np.arange(-1, height + 1) + 0.5
    lines: Any = contour_generator(across, along, inner).lines(0.0)
    return [line for line in lines if len(line) > 3]


def _move(drawn: Drawing, right: float, down: float) -> Drawing:
    if isinstance(drawn, Patch):
        return drawn._replace(x=drawn.x + right, y=drawn.y + down)
    step = np.array([right, down], dtype=np.float64)
    words = drawn.words and drawn.words._replace(x=drawn.words.x + right, y=drawn.words.y + down)
    return drawn._replace(outlines=tuple(outline + step for outline in drawn.outlines), words=words)
