"""Two arithmetics with one interface: exact fractions, or float64 with near-equal action values taken as ties.

An action ties with the best where their difference is at most the tolerance times the larger of the best value and
the largest reward in absolute value; the first tying action in the listed order wins. Exact sums are made of integer
numerators over a common denominator, with a single division by the common factor at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any, TypeAlias

from engine.errors import UnknownName

ExactOrFloat: TypeAlias = Fraction | float


@dataclass(frozen=True)
class Arithmetic:
    """The numbers that values are computed in.

    name: how users call it. number: a fraction in this arithmetic. tolerance: the relative width of a tie. estimates:
    integer masses -> the estimate of each slot, in whatever scale is cheap. scale: denominators of weights -> a factor
    that makes them cheap. weight: fraction, factor -> their product. combine: weights, values, denominator -> sum of
    weight times value, over the denominator. columns: whether the numbers may also be arrays, a number a history.
    """

    name: str
    number: Callable[[Fraction], ExactOrFloat]
    estimates: Callable[[Sequence[int]], Sequence[ExactOrFloat]]
    scale: Callable[[Sequence[int]], int]
    weight: Callable[[Fraction, int], int | float]
    combine: Callable[[Sequence[Any], Sequence[Any], Any], ExactOrFloat]
    tolerance: float
    columns: bool

    def near(self, value: Any, best: Any, scale: Any) -> Any:
        """Whether a value ties with the best one, where values are rounded; of arrays, by element."""
        gap = best - value
        return (gap <= self.tolerance * abs(best)) | (gap <= self.tolerance * scale)

    def ties(self, values: Sequence[Any], scale: Any) -> tuple[int, ...]:
        """Positions of the best values; scale is the largest reward in absolute value."""
        best = max(values)
        if not self.tolerance:
            return tuple([k for k, value in enumerate(values) if value == best])
        return tuple([k for k, value in enumerate(values) if self.near(value, best, scale)])


def _common_denominator(weights: Sequence[int], values: Sequence[Any], denominator: int) -> Fraction:
    denominators = [value.denominator for value in values]
    common = lcm(*denominators)
    numerators = [value.numerator * (common // below) for value, below in zip(values, denominators, strict=True)]
    return Fraction(sum(map(mul, weights, numerators)), common * denominator)


def _proportions(masses: Sequence[int]) -> Sequence[float]:
    total = sum(masses)
    return [mass / total for mass in masses]


def _float_sum(weights: Sequence[float], values: Sequence[float], denominator: float) -> float:
    total: float = sum(map(mul, weights, values)) / denominator
    return total


exact_arithmetic = Arithmetic(
    name="exact",
    number=lambda fraction: fraction,
    estimates=lambda masses: masses,
    scale=lambda denominators: lcm(*denominators),
    weight=lambda fraction, factor: int(fraction * factor),
    combine=_common_denominator,
    tolerance=0.0,
    columns=False,
)
float_arithmetic = Arithmetic(
    name="float",
    number=float,
    estimates=_proportions,
    scale=lambda denominators: 1,
    weight=lambda fraction, factor: float(fraction),
    combine=_float_sum,
    tolerance=1e-12,
    columns=True,
)

ARITHMETICS = {arithmetic.name: arithmetic for arithmetic in (exact_arithmetic, float_arithmetic)}


def named_arithmetic(name: str) -> Arithmetic:
    """An arithmetic by its name; UnknownName otherwise."""
    if name not in ARITHMETICS:
        raise UnknownName("arithmetic", name, ARITHMETICS)
    return ARITHMETICS[name]
