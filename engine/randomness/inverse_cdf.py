"""Drawing from a finite distribution by its inverse cumulative distribution function: the only draw in this repository.

    i = min { i : w_0 + ... + w_i > number }

`inverse_cdf` is plain code for numbers of any kind (float, int, Fraction), `engine.randomness.compiled.inverse_cdf` the
same source in compiled code, and `inverse_cdf_rows` answers for whole arrays; all of them give the same positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


def inverse_cdf(weights: Sequence[float | Fraction] | NDArray[np.float64], number: float | Fraction) -> int:
    """The position at which the running sum of non-negative weights exceeds a number.

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
