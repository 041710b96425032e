"""A film as an animated GIF: one palette shared by all frames, the same bytes for the same film.

Colours are gathered in bins of equal size; a bin is shown as the mean of what fell into it, and where there are more
bins than entries the rarest are shown as the nearest kept one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, MissingExtra
from renderers.film import Reel
from renderers.shapes import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Sheet

BITS = 5
ENTRIES = 255
MOST_SCENES = 2000
LAST_ONE_LINGERS = 6


def gif(reel: Reel) -> bytes:
    """The bytes of the GIF, looping; the last scene stays longer. Needs pillow (extra `render`)."""
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise MissingExtra("GIFs need pillow", place="film", remedy="pip install 'caregrid[render]'") from error
    count = len(reel.scenes)
    if count > MOST_SCENES:
        raise BadValue(f"a GIF of {count} scenes", place="film", remedy=f"at most {MOST_SCENES}; write .mp4 or .json")
    palette, entry = shared_palette(reel.images(range(count), False))

    def sheets() -> Iterator[Sheet]:
        for frame in reel.images(range(count), False):
            sheet = Pillow.fromarray(entry[_bins(frame)]).convert("P")
            sheet.putpalette(palette.tobytes())
            yield sheet

    animation = sheets()
    first = next(animation)
    durations = [max(20, reel.milliseconds)] * count
    durations[-1] *= LAST_ONE_LINGERS
    stream = io.BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=animation, duration=durations, loop=0, optimize=False)
    return stream.getvalue()


def shared_palette(drawn: Iterator[Image]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A palette for many frames: uint8[entries, 3], and for every colour bin its entry, uint8[bins]."""
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
    entry = np.zeros(bins, dtype=np.uint8)
    entry[seen] = distance.argmin(axis=1)
    return np.rint(means[kept]).astype(np.uint8), entry


def _bins(frame: Image) -> NDArray[np.int64]:
    """The colour bin of every pixel, int64[H, W]."""
    coarse = frame.astype(np.int64) >> (8 - BITS)
    return (coarse[..., 0] << (2 * BITS)) | (coarse[..., 1] << BITS) | coarse[..., 2]
