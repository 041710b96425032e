"""Sums and products in twice the working precision: each number is the sum of two floats, the second one tiny.

An addition or a product misses the true result by at most `ROUNDED` times the sizes of what goes in, unless a product
underflows. Differences of equal numbers are exactly 0.
Reference: T. Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18,
1971; M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
arithmetic", ACM Transactions on Mathematical Software 44, 2017.
"""

from __future__ import annotations

import numpy as np

from engine.mdp.mdp import Floats

ROUNDED = 2.0**-101
HALVES = 2.0**27 + 1.0  # times a number: what splits its 53 bits in two
Pair = tuple[Floats, Floats]


def exact_sum(one: Floats, other: Floats) -> Pair:
    """one + other."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)


def exact_product(one: Floats, other: Floats) -> Pair:
    """one * other."""
    product = one * other
    (high, low), (other_high, other_low) = _split(one), _split(other)
    return product, low * other_low - (((product - high * other_high) - low * other_high) - high * other_low)


def added(one: Pair, other: Pair) -> Pair:
    """The sum of two pairs."""
    total, rest = exact_sum(one[0], other[0])
    return exact_sum(total, rest + (one[1] + other[1]))


def scaled(pair: Pair, factor: Floats) -> Pair:
    """A pair times a float."""
    product, rest = exact_product(pair[0], factor)
    return exact_sum(product, rest + pair[1] * factor)


def summed(pair: Pair) -> Pair:
    """The sum along the last axis."""
    total = pair[0][..., 0], pair[1][..., 0]
    for n in range(1, pair[0].shape[-1]):
        total = added(total, (pair[0][..., n], pair[1][..., n]))
    return total


def _split(number: Floats) -> Pair:
    """Two floats of 26 bits at most."""
    large = HALVES * number
    high: Floats = large - (large - number)
    return high, np.asarray(number - high)
