"""Smooth shapes on pixels: each shape is a signed distance in pixels, negative inside; coverage = clip(1/2 - distance).

H, W: height and width in pixels. Points are (x, y) with x to the right, y down, pixel (0, 0) covering [0, 1] x [0, 1].
Only sums, products, comparisons and square roots are used, so that every machine draws the same bytes.

Pictures may be vectors, too: what is drawn on a sheet is kept as outlines, beside the pixels. The outline of a shape is
the contour of its distance at 0, exact to a small part of a pixel where the distance is linear between pixels. Sheets
are images, so that whatever draws on images draws on them. Pixels that come from elsewhere, such as a world's own
frame, stay pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import MissingExtra
from renderers.drawing.palette import CROSS, WHITE, Colour

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
    """Return whether blank images are sheets."""
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


Image: TypeAlias = NDArray[np.uint8]
"""uint8[H, W, 3]"""
Distance: TypeAlias = NDArray[np.float64]
"""float64[H, W], pixels; negative inside the shape"""
PixelPoint: TypeAlias = tuple[float, float]


def blank(height: int, width: int, colour: Colour) -> Image:
    """Return a new image of one colour."""
    height, width = max(0, height), max(0, width)
    image: Image = Sheet.make(height, width) if is_drawing_vectors() else np.empty((height, width, 3), dtype=np.uint8)
    cover(image, colour)
    return image


def cover(image: Image, colour: Colour) -> None:
    """Paint a whole image in place: one row, and that row on all others, which is much faster than pixel by pixel."""
    if isinstance(image, Sheet):
        image[:] = colour
        return
    image[:1] = colour
    image[1:] = image[:1]


def pixels(height: int, width: int) -> tuple[Distance, Distance]:
    """x[1, W] and y[H, 1]: the centres of all pixels."""
    across, along = np.arange(width, dtype=np.float64) + 0.5, np.arange(height, dtype=np.float64) + 0.5
    return across[None, :], along[:, None]


def fill(image: Image, distance: Distance, colour: Colour, opacity: float = 1.0, words: Words | None = None) -> None:
    """Paint a shape on an image in place, its edge smoothed; pixels that it does not touch are not read.

    words: what the shape spells, for sheets.
    """
    if isinstance(image, Sheet):
        image.keep_shape(distance, colour, opacity, words)
        image = np.asarray(image)
    mixed = distance < 0.5
    if opacity == 1.0:
        inside = distance <= -0.5
        for i, channel in enumerate(colour):
            image[..., i][inside] = channel
        mixed &= ~inside
    ground = image[mixed]
    share = np.minimum(0.5 - distance[mixed], 1.0) * opacity
    image[mixed] = np.rint(ground + (np.array(colour, dtype=np.float64) - ground) * share[:, None]).astype(np.uint8)


def outline(distance: Distance, width: float) -> Distance:
    """Return the band of a width along a shape's edge, inside it."""
    return np.abs(distance + width / 2) - width / 2


def disc(height: int, width: int, centre: PixelPoint, radius: float) -> Distance:
    """Return a disc."""
    x, y = pixels(height, width)
    return np.sqrt((x - centre[0]) ** 2 + (y - centre[1]) ** 2) - radius


def box(height: int, width: int, centre: PixelPoint, half: PixelPoint, corner: float = 0.0) -> Distance:
    """Return a box of half extents (x, y) with rounded corners."""
    x, y = pixels(height, width)
    across, along = np.abs(x - centre[0]) - half[0] + corner, np.abs(y - centre[1]) - half[1] + corner
    outside = np.sqrt(np.maximum(across, 0) ** 2 + np.maximum(along, 0) ** 2)
    distance: Distance = outside + np.minimum(np.maximum(across, along), 0) - corner
    return distance


def polygon(height: int, width: int, corners: Sequence[PixelPoint]) -> Distance:
    """Return a convex polygon, its corners in clockwise order on the screen."""
    x, y = pixels(height, width)
    distance = np.full((height, width), -np.inf)
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        length = float(np.sqrt((bx - ax) ** 2 + (by - ay) ** 2))
        distance = np.maximum(distance, ((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length)
    return distance


def area(height: int, width: int, corners: Sequence[PixelPoint]) -> Distance:
    """Any polygon that does not cross itself: the distance to its nearest side, negative inside.

    A point is inside where a ray to the right crosses an odd number of sides.
    """
    x, y = pixels(height, width)
    squared = np.full((height, width), np.inf)
    inside = np.zeros((height, width), dtype=np.bool_)
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        across, along = bx - ax, by - ay
        share = np.clip(((x - ax) * across + (y - ay) * along) / (across * across + along * along), 0, 1)
        squared = np.minimum(squared, (x - ax - share * across) ** 2 + (y - ay - share * along) ** 2)
        if along:
            inside ^= ((y < ay) != (y < by)) & (x < ax + (y - ay) * across / along)
    distance: Distance = np.where(inside, -np.sqrt(squared), np.sqrt(squared))
    return distance


def polyline(height: int, width: int, points: Sequence[PixelPoint], thickness: float) -> Distance:
    """A line through points with round ends; a single point is a dot. Beyond a pixel from it the distance is inf."""
    return polylines(height, width, [points], thickness)


def polylines(height: int, width: int, lines: Sequence[Sequence[PixelPoint]], thickness: float) -> Distance:
    """Several lines as one shape, so that where they meet no pixel is drawn twice."""
    x, y = pixels(height, width)
    distance = np.full((height, width), np.inf)
    for (ax, ay), (bx, by) in (end for line in lines for end in pairwise(line if len(line) > 1 else [*line, *line])):
        rows, columns = _near(height, width, [(ax, ay), (bx, by)], thickness / 2)
        part = distance[rows, columns]
        right = x[:, columns] - ax
        down = y[rows] - ay
        across, along = bx - ax, by - ay
        squared = across * across + along * along
        share = np.clip((right * across + down * along) / squared, 0, 1) if squared else np.zeros((1, 1))
        np.minimum(part, np.sqrt((right - share * across) ** 2 + (down - share * along) ** 2), out=part)
    return distance - thickness / 2


def _near(height: int, width: int, points: Sequence[PixelPoint], reach: float) -> tuple[slice, slice]:
    """Return the rows and columns of an image that a shape can touch which stays within `reach` of the points' box."""
    spans = []
    for i, length in ((1, height), (0, width)):
        numbers = [point[i] for point in points]
        first = min(max(0, math.floor(min(numbers) - reach - 1)), length)
        spans.append(slice(first, min(max(first, math.ceil(max(numbers) + reach + 1)), length)))
    return spans[0], spans[1]


def around(image: Image, points: Sequence[PixelPoint], reach: float) -> tuple[Image, list[PixelPoint]]:
    """Return the part of an image within `reach` pixels of the points' box, as a view, and where the points lie on it.

    A shape of that reach is drawn on the part as on the whole image, in time that grows with the shape alone.
    """
    rows, columns = _near(image.shape[0], image.shape[1], points, reach)
    return image[rows, columns], [(x - columns.start, y - rows.start) for x, y in points]


def cross_out(image: Image, centre: PixelPoint, radius: float) -> None:
    """Draw a red cross, edged in white, over what is there; a label is written after it, so that it can be read."""
    part, ((x, y),) = around(image, [centre], radius * 1.2)
    height, width = part.shape[:2]
    for colour, thickness in ((WHITE, 0.26), (CROSS, 0.15)):
        for slope in (1, -1):
            ends = [(x - radius, y - slope * radius), (x + radius, y + slope * radius)]
            fill(part, polyline(height, width, ends, radius * thickness), colour)


def paste(image: Image, patch: Image, top: int, left: int) -> None:
    """Copy a patch into an image in place; what sticks out is cut off."""
    height, width = image.shape[:2]
    first_row, first_column = max(0, -top), max(0, -left)
    rows, columns = min(patch.shape[0], height - top), min(patch.shape[1], width - left)
    if rows > first_row and columns > first_column:
        image[top + first_row : top + rows, left + first_column : left + columns] = patch[
            first_row:rows, first_column:columns
        ]
