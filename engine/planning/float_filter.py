"""Floats filter, fractions decide: how far values backed up in floats may be from the exact ones, proved.

    Q_t(s, a) = sum over k of  c_k (r_k + gamma_k V_{t+1}(s_k))        c_k >= 0        V_t(s) = max over a of Q_t(s, a)

Planned in floats these are Qhat and Vhat. An action is kept where

    Qhat(s, a) >= max_b Qhat(s, b) - 2 e_t M_t

and every optimal action is kept, because |Qhat - Q| <= e_t M_t for all of them. The few that are kept are compared as
fractions. With u = 2^-53 the unit of rounding:

- Magnitudes. M_t bounds, over all s and a, sum_k c_k (|r_k| + gamma_k M_{t+1}): what a backup adds up, in absolute
  values, so that cancellation cannot mislead the filter. It bounds Q_t and V_t, too.
- Values. Let the numbers that enter a backup beside the later values be off by at most n_t M_t together, and let no
  term pass through more than p_t roundings. Since sum_k c_k gamma_k e_{t+1} M_{t+1} <= e_{t+1} M_t, and p roundings
  change a term by at most a part of (1 + u)^p - 1 <= 4 p u of it (p u < 1), the error of a backup is at most e_t M_t,

      e_t = e_{t+1} + n_t + 4 p_t u                                after the last step e = 0, M = 0

- Choices. The largest, or the least, of some numbers errs no more than the worst of them does; so does the value under
  an action that is kept.

`SAFETY` multiplies the bound, for magnitudes are rounded, too. Where a magnitude is near either end of the range of
floats, products may be lost altogether: then nothing is ruled out. Reference: N. Higham, "Accuracy and Stability of
Numerical Algorithms" (2002), chapter 3, on sums and products; the filter is that of exact geometric predicates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

ROUNDING = 2.0**-53
SAFETY = 4.0
SMALLEST, LARGEST = 1e-280, 1e280
"""Numbers between these can be multiplied and added without leaving the range of floats."""


@dataclass
class FloatError:
    """How far the values of a step are from the exact ones, from the last step backward.

    relative: e_t. magnitude: M_t.
    """

    relative: float = 0.0
    magnitude: float = 0.0

    def back_up(self, magnitude: float, roundings: int, inputs: float = 0.0) -> None:
        """Go one step back. magnitude: M_t. roundings: p_t. inputs: n_t."""
        if magnitude or self.magnitude:  # where nothing is added up, nothing is rounded
            self.relative += inputs + 4 * roundings * ROUNDING
        self.magnitude = magnitude

    @property
    def bound(self) -> float:
        """How far a value may be from the exact one; infinite where floats say nothing."""
        if not self.relative:
            return 0.0
        sound = SMALLEST < self.magnitude < LARGEST and math.isfinite(self.relative)
        return SAFETY * self.relative * self.magnitude if sound else math.inf

    @property
    def margin(self) -> float:
        """How far below the best an optimal action may seem to be."""
        return 2 * self.bound


def fits_floats(number: Fraction) -> bool:
    """Return whether a number is 0, or becomes a float with a relative error of at most u."""
    return not number or SMALLEST < abs(number) < LARGEST
