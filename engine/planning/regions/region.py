"""Regions: for which coefficient vectors one behaviour is optimal, and what it earns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Floats
from engine.planning.trade_off.segment import Segment


class Supported(NamedTuple):
    """What a best behaviour earns, f64[k + 1], and what it does from each start state, found when asked for."""

    returns: Floats
    behaviour: Callable[[], Mapping[int, Segment]]


class EndlessReturns(NoPlan):
    """At these coefficients a policy gains for ever. gains: f64[k + 1], its average rewards in a step."""

    def __init__(self, gains: Floats) -> None:
        super().__init__("a cycle has positive reward", place="regions", remedy="ask for other coefficients")
        self.gains = gains

    def __reduce__(self) -> tuple[object, ...]:
        return EndlessReturns, (self.gains,)


@dataclass(frozen=True)
class Region:
    """One optimal behaviour. returns: f64[k + 1], that of weight 1 and one for each coefficient.

    interior: f64[k], a coefficient vector inside. halfspaces: f64[M, k + 1], rows (a, b) of  a . theta <= b, none of
    which follows from the others.
    """

    returns: Floats
    behaviour: Mapping[int, Segment]
    interior: Floats
    halfspaces: Floats

    def value_at(self, coefficients: Floats) -> float:
        """v_0 + theta . (v_1 .. v_k)."""
        return float(self.returns[0] + coefficients @ self.returns[1:])

    def holds(self, coefficients: Floats, tolerance: float = 1e-9) -> bool:
        """Whether a vector lies in the region, its boundary included, but for rounding."""
        sides, bounds = self.halfspaces[:, :-1], self.halfspaces[:, -1]
        size = np.abs(sides) @ np.abs(coefficients) + np.abs(bounds)
        return bool((sides @ coefficients - bounds <= tolerance * size).all())


@dataclass(frozen=True)
class CoverageSet:
    """All regions of a domain.

    loss: the most that any policy may earn above them, 0 where all regions were asked for (but for rounding).
    limits: f64[M, k + 1], rows (a, b): beyond  a . theta <= b  a policy gains for ever. solves: how many plans it took.
    """

    regions: tuple[Region, ...]
    loss: float
    limits: Floats
    solves: int

    def is_finite(self, coefficients: Floats) -> bool:
        """Whether no policy gains for ever at a coefficient vector."""
        return not len(self.limits) or bool((self.limits[:, :-1] @ coefficients <= self.limits[:, -1]).all())

    def at(self, coefficients: Floats) -> Region:
        """A best region at a coefficient vector: of those that tie the one listed first."""
        values = np.array([region.value_at(coefficients) for region in self.regions])
        return self.regions[int(values.argmax())]
