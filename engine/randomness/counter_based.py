"""Stateless randomness: a number is a pure function of a key and counters (SplitMix64); a draw takes one number.

    z <- key;  for each counter c:  z <- mix(z + (c + 1) G);  uniform = top 53 bits of z / 2^53

    split(key, word)    = mix(mix(key) ^ digest(word))
    split(key, integer) = mix((mix(key) ^ INTEGERS) + (integer + 1) G)

    inverse_cdf(w, number) = min { i : w_0 + ... + w_i > number }

There is no generator object and nothing to seed: the same key and counters give the same number, in any
order, in any process, in plain or compiled code. Reference: G. Steele, D. Lea, C. Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014 (the finaliser and the golden-ratio increment G).

Domains are separated: before a label enters, `split` moves the key to another place, one for words and one for
integers, so that no part's key is a number of its parent and no part's numbers are its parent's: `split(key, n)` is
not `bits(key, n)`, nor `uniform(split(key, n), c)` the `uniform(key, n, c)` that it would be without.

These functions take Python integers; `engine.randomness.compiled` holds the compiled twins of `bits`, `uniform` and
`randrange`, which give the same bits. Kernels are given keys that were split outside.

Drawing from a finite distribution goes by its inverse cumulative distribution function, the only draw in this
repository. `inverse_cdf` is plain code for numbers of any kind (float, int, Fraction),
`engine.randomness.compiled.inverse_cdf` the same source in compiled code, and `inverse_cdf_rows` answers for whole
arrays; all of them give the same positions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
INTEGERS = 0x13EEAF918C42ED71  # where integer labels live: the digest of the word "integers"
_TO_UNIT = 2.0**-53


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * _FIRST) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND) & _MASK
    return z ^ (z >> 31)


def bits(key: int, *counters: int) -> int:
    """64 random bits, 0 .. 2^64-1, for a key and any number of counters (non-negative integers)."""
    z = key & _MASK
    for counter in counters:
        z = _mix((z + (counter + 1) * _GOLDEN) & _MASK)
    return z


def split(key: int, label: str | int) -> int:
    """Return a new key for a part of a computation, whose numbers neither its parent nor its siblings have.

    label: a word or a non-negative integer; 3 and "3" are different labels.
    """
    moved = _mix(key & _MASK)
    if isinstance(label, int):
        return bits(moved ^ INTEGERS, label)
    digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
    return _mix(moved ^ int.from_bytes(digest, "little"))


def uniform(key: int, *counters: int) -> float:
    """Return a float in [0, 1) for a key and counters; at least one counter."""
    return (bits(key, *counters) >> 11) * _TO_UNIT


def randrange(n: int, key: int, *counters: int) -> int:
    """Return an integer in 0 .. n-1 for a key and counters: int(n * uniform)."""
    return int(n * uniform(key, *counters))


def inverse_cdf(weights: Sequence[float | Fraction] | NDArray[np.float64], number: float | Fraction) -> int:
    """Return the position at which the running sum of non-negative weights exceeds a number.

    weights: probabilities of any kind, or integer weights. number: from [0, sum of the weights). Where rounding lets
    the sum end below the number, the last position of positive weight; a position of weight 0 is never drawn. Where no
    weight is positive (or all are not-a-number) the answer is 0.
    """
    last, reached = 0, 0 * weights[0]
    for place in range(len(weights)):
        if weights[place] > 0:
            last = place
            reached += weights[place]
            if number < reached:
                break
    return last


def inverse_cdf_rows(weights: NDArray[np.float64], numbers: Any) -> NDArray[np.int64]:
    """`inverse_cdf` of many numbers at once: weights f64[..., K], numbers of the leading shape -> int64[...]."""
    reached = weights.cumsum(axis=-1)
    passed = (np.asarray(numbers)[..., None] >= reached) & (reached < reached[..., -1:])
    return np.asarray(passed.sum(axis=-1))
