"""Twins of `engine.randomness.counter_based` in compiled code and for whole arrays: the same bits.

`uniform_2(key, a, b)` is `uniform(key, a, b)` in compiled code. Keys are uint64 scalars (`np.uint64(key)`), counters
are non-negative integers. `randrange_array` makes many numbers at once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.randomness.counter_based import inverse_cdf as _plain_inverse_cdf

_G = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11, _ONE = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(1)
_TO_UNIT = 2.0**-53

inverse_cdf = kernel(inline="always")(_plain_inverse_cdf)


@kernel(inline="always")
def _mix_compiled(z):  # type: ignore[no-untyped-def]
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel
def bits_1(key, a):  # type: ignore[no-untyped-def]
    """Compiled twin of `bits(key, a)`: uint64, integer -> uint64."""
    return _mix_compiled(np.uint64(key) + (np.uint64(a) + _ONE) * _G)


@kernel
def uniform_1(key, a):  # type: ignore[no-untyped-def]
    """Compiled twin of `uniform(key, a)`."""
    return np.float64(bits_1(key, a) >> _S11) * _TO_UNIT


@kernel
def uniform_2(key, a, b):  # type: ignore[no-untyped-def]
    """Compiled twin of `uniform(key, a, b)`."""
    return np.float64(bits_1(bits_1(key, a), b) >> _S11) * _TO_UNIT


@kernel
def randrange_1(n, key, a):  # type: ignore[no-untyped-def]
    """Compiled twin of `randrange(n, key, a)`."""
    return np.int64(n * uniform_1(key, a))


@kernel
def randrange_2(n, key, a, b):  # type: ignore[no-untyped-def]
    """Compiled twin of `randrange(n, key, a, b)`."""
    return np.int64(n * uniform_2(key, a, b))


_ARRAY_GOLDEN, _ARRAY_FIRST, _ARRAY_SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_ARRAY_MASK, _ARRAY_TO_UNIT = 0xFFFFFFFFFFFFFFFF, 2.0**-53


def randrange_array(n: int, key: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """i64[shape] of integers in 0 .. n-1: the one at place c, row by row, is `randrange(n, key, c)`."""
    counters = np.arange(1, math.prod(shape) + 1, dtype=np.uint64)
    z = np.uint64(key & _ARRAY_MASK) + counters * _ARRAY_GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _ARRAY_FIRST
    z = (z ^ (z >> np.uint64(27))) * _ARRAY_SECOND
    bits = z ^ (z >> np.uint64(31))
    uniform = (bits >> np.uint64(11)).astype(np.float64) * _ARRAY_TO_UNIT
    return (n * uniform).astype(np.int64).reshape(shape)
