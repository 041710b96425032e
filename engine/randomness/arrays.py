"""Many numbers of `counter_based` at once, as arrays: the twins give the same bits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_GOLDEN, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_MASK, _TO_UNIT = 0xFFFFFFFFFFFFFFFF, 2.0**-53


def randrange_array(n: int, key: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """i64[shape] of integers in 0 .. n-1: the one at place c, row by row, is `randrange(n, key, c)`."""
    counters = np.arange(1, math.prod(shape) + 1, dtype=np.uint64)
    z = np.uint64(key & _MASK) + counters * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    bits = z ^ (z >> np.uint64(31))
    uniform = (bits >> np.uint64(11)).astype(np.float64) * _TO_UNIT
    return (n * uniform).astype(np.int64).reshape(shape)
