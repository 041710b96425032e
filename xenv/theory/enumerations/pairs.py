"""Cantor's pairing of natural numbers, and sequences by repeated pairing.

n <-> (i, j),   n = (i + j)(i + j + 1)/2 + j
"""

from __future__ import annotations

from math import isqrt


def paired(first: int, second: int) -> int:
    """The number of the pair (i, j)."""
    diagonal = first + second
    return diagonal * (diagonal + 1) // 2 + second


def unpaired(number: int) -> tuple[int, int]:
    """The pair (i, j) of a number."""
    diagonal = (isqrt(8 * number + 1) - 1) // 2
    second = number - diagonal * (diagonal + 1) // 2
    return diagonal - second, second
