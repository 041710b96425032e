"""Stateless randomness: a number is a pure function of a key and counters (SplitMix64).

    z <- key;  for each counter c:  z <- mix(z + (c + 1) G);  uniform = top 53 bits of z / 2^53

There is no generator object and nothing to seed: whoever knows the key and the counters gets the same number, in
any order, in any process, in plain or compiled code. Reference: G. Steele, D. Lea, C. Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014 (the finaliser and the golden-ratio increment G).

These functions take Python integers; `engine.randomness.compiled` holds their compiled twins, which give the same bits.
"""

from __future__ import annotations

import hashlib

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_TO_UNIT = 2.0**-53


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * _FIRST) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND) & _MASK
    return z ^ (z >> 31)


def bits(key: int, *counters: int) -> int:
    """64 random bits for a key and any number of counters (non-negative integers)."""
    z = key & _MASK
    for counter in counters:
        z = _mix((z + (counter + 1) * _GOLDEN) & _MASK)
    return z


def split(key: int, label: str | int) -> int:
    """A new key for a part of a computation; the label is a word or a non-negative integer.

    An integer's key holds the numbers whose first counter it is: uniform(split(key, n), c) == uniform(key, n, c). So
    use a word where the same key also draws numbers of its own.
    """
    if isinstance(label, int):
        return bits(key, label)
    digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
    return _mix((_mix(key & _MASK) ^ int.from_bytes(digest, "little")) & _MASK)


def uniform(key: int, *counters: int) -> float:
    """A float in [0, 1) for a key and counters; at least one counter."""
    return (bits(key, *counters) >> 11) * _TO_UNIT


def randrange(n: int, key: int, *counters: int) -> int:
    """An integer in 0 .. n-1 for a key and counters: int(n * uniform)."""
    return int(n * uniform(key, *counters))
