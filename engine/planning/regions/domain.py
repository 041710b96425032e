"""Which coefficient vectors are asked about, and their projective pieces, on which all of them lie in one simplex.

A coefficient vector theta, f64[k], weighs k + 1 returns:  v_0 + theta . (v_1 .. v_k).  In homogeneous coordinates
w = (w_0, theta w_0) a domain is a cone, and what is optimal depends on the direction of w alone, infinite coefficients
(w_0 = 0) included. With x_i the distance from an end, w = M x for x >= 0 with sum 1. An axis without any end near 0 is
cut there: seen from a distant end the regions near 0 would be too small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats

MOST_AXES = 6
NEAR = 10.0
FARTHEST = 1e7


@dataclass(frozen=True)
class CoefficientDomain:
    """The vectors theta with  low <= theta <= high  and  sides . theta <= bounds.

    low, high: k numbers each, -inf and inf for no bound. sides: f64[M, k]. bounds: f64[M].
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    sides: Floats
    bounds: Floats

    @classmethod
    def box(cls, low: Sequence[float], high: Sequence[float]) -> CoefficientDomain:
        """A box. Raises BadValue for an empty one or one of more axes than can be solved."""
        axes = len(low)
        if not 1 <= axes <= MOST_AXES:
            raise BadValue(
                f"{axes} coefficients",
                place="regions",
                remedy=f"name 1 to {MOST_AXES} axes: the corners of the regions multiply with each",
            )
        for number, (least, largest) in enumerate(zip(low, high, strict=True)):
            if math.isnan(least) or math.isnan(largest) or not least < largest:
                raise BadValue(
                    f"coefficient {number + 1} from {least} to {largest} is empty",
                    place="regions",
                    remedy="give a lower and a higher number",
                )
        return cls(tuple(map(float, low)), tuple(map(float, high)), np.zeros((0, axes)), np.zeros(0))

    @classmethod
    def simplex(cls, axes: int) -> CoefficientDomain:
        """theta >= 0 with a sum of at most 1: the probabilities of all but one of axes + 1 cases."""
        box = cls.box([0.0] * axes, [math.inf] * axes)
        return cls(box.low, box.high, np.ones((1, axes)), np.ones(1))

    @property
    def axes(self) -> int:
        """k."""
        return len(self.low)

    def holds(self, coefficients: Floats) -> bool:
        """Whether a vector f64[k] lies in the domain."""
        inside = all(low <= each <= high for low, each, high in zip(self.low, coefficients, self.high, strict=True))
        return inside and bool((self.sides @ coefficients <= self.bounds).all())

    def rows(self) -> Floats:
        """f64[M, k + 1]: the domain's sides as rows with  row . w >= 0,  but for  w_0 >= 0."""
        found = []
        unit = np.eye(self.axes + 1)
        for number, (least, largest) in enumerate(zip(self.low, self.high, strict=True), start=1):
            if math.isfinite(least):
                found.append(unit[number] - least * unit[0])
            if math.isfinite(largest):
                found.append(largest * unit[0] - unit[number])
        found += [np.append(bound, -side) for side, bound in zip(self.sides, self.bounds, strict=True)]
        return np.array(found).reshape(-1, self.axes + 1)

    def pieces(self, scale: Floats) -> list[Floats]:
        """The matrices M, f64[k + 1, k + 1], of the pieces: their vectors are  w = M x,  x >= 0.

        scale: f64[k], about how large coefficients are that matter. Raises BadValue for a range whose end lies so far
        beyond that regions there could not be told from those at infinity.
        """
        choices = []
        for number, (low, high, size) in enumerate(zip(self.low, self.high, scale, strict=True), start=1):
            near, far = sorted((end for end in (low, high)), key=abs)
            most = FARTHEST * float(size)
            if max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0) > most:
                raise BadValue(
                    f"coefficient {number} from {low:g} to {high:g}",
                    place="regions",
                    remedy=f"choose ends from {-most:.1e} to {most:.1e}, or none: -inf, inf",
                )
            if low < 0.0 < high and abs(near) > NEAR * size:
                choices.append([(0.0, 1.0), (0.0, -1.0)])
            else:
                choices.append([(near, math.copysign(1.0, far - near))])
        result = []
        for chosen in itertools.product(*choices):
            matrix = np.eye(self.axes + 1)
            for number, (end, sign) in enumerate(chosen, start=1):
                matrix[number, 0], matrix[number, number] = end, sign
            result.append(matrix)
        return result
