"""Frames in few colours: one palette for all of them, the same for the same frames.

Colours are gathered in bins of equal size; a bin is shown as the mean of what fell into it, and where there are more
bins than entries the rarest are shown as the nearest kept one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from renderers.drawing.shapes import Image

BITS = 5
ENTRIES = 255


def shared_palette(drawn: Iterable[Image]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
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


def indexed(frame: Image, entry: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The palette entry of every pixel, uint8[H, W]."""
    return entry[_bins(frame)]


def _bins(frame: Image) -> NDArray[np.uint16]:
    """The colour bin of every pixel, uint16[H, W]."""
    red, green, blue = (frame[..., channel].astype(np.uint16) >> np.uint16(8 - BITS) for channel in range(3))
    bins: NDArray[np.uint16] = (red << np.uint16(2 * BITS)) | (green << np.uint16(BITS)) | blue
    return bins
