"""A film as an animated GIF: one palette shared by all frames, the same bytes for the same film.

Colours are gathered in bins of equal size; a bin is shown as the mean of what fell into it, and where there are more
bins than entries the rarest are shown as the nearest kept one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import MissingExtra
from engine.scene import Scene
from renderers.film import require_scenes
from renderers.picture import frames
from renderers.shapes import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Sheet

BITS = 5
ENTRIES = 255
LAST_FRAME_LINGERS = 6


def gif(film: Sequence[Scene], tile: int, milliseconds: int) -> bytes:
    """The bytes of the GIF, looping; the last scene stays longer. Needs pillow (extra `render`)."""
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise MissingExtra("GIFs need pillow", place="film", remedy="pip install 'caregrid[render]'") from error
    palette, entry = shared_palette(frames(require_scenes(film), tile))

    def sheets() -> Iterator[Sheet]:
        for frame in frames(film, tile):
            sheet = Pillow.fromarray(entry[_bins(frame)].astype(np.uint8), mode=None)
            sheet = sheet.convert("P") if sheet.mode != "P" else sheet
            sheet.putpalette(palette.tobytes())
            yield sheet

    animation = sheets()
    first = next(animation)
    durations = [max(20, milliseconds)] * len(film)
    durations[-1] *= LAST_FRAME_LINGERS
    stream = io.BytesIO()
    first.save(stream, format="GIF", save_all=True, append_images=animation, duration=durations, loop=0, optimize=False)
    return stream.getvalue()


def shared_palette(drawn: Iterator[Image]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A palette for many frames: uint8[entries, 3], and for every colour bin its entry, int64[bins]."""
    bins = 1 << (3 * BITS)
    counts, sums = np.zeros(bins), np.zeros((3, bins))
    for frame in drawn:
        where = _bins(frame).ravel()
        counts += np.bincount(where, minlength=bins)
        for channel in range(3):
            sums[channel] += np.bincount(where, weights=frame[..., channel].ravel(), minlength=bins)
    seen = np.flatnonzero(counts)
    means = (sums[:, seen] / counts[seen]).T
    kept = np.argsort(-counts[seen], kind="stable")[:ENTRIES]
    distance = ((means[:, None, :] - means[kept][None, :, :]) ** 2).sum(axis=2)
    entry = np.zeros(bins, dtype=np.int64)
    entry[seen] = distance.argmin(axis=1)
    return np.rint(means[kept]).astype(np.uint8), entry


def _bins(frame: Image) -> NDArray[np.int64]:
    """The colour bin of every pixel, int64[H, W]."""
    coarse = frame.astype(np.int64) >> (8 - BITS)
    return (coarse[..., 0] << (2 * BITS)) | (coarse[..., 1] << BITS) | coarse[..., 2]
