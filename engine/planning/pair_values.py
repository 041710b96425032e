"""What a policy earns by two rewards from every state, and what of it is of interest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.mdp.mdp import Floats, Policy
from engine.planning.chains import chain_kernels

Weights = tuple[float, float]


@dataclass(frozen=True)
class PairValues:
    """A policy, int32[S], and what it earns from every state.

    columns: f64[S, 6], the own and the extra return; their sizes, the expected sums of the absolute rewards of each
    kind; and what both returns miss by being rounded (`engine.planning.chains.chain_kernels`).
    """

    policy: Policy
    columns: Floats

    def weighed(self, weights: Weights) -> Floats:
        """weights . (own, extra), f64[S]."""
        return weights[0] * self.columns[:, 0] + weights[1] * self.columns[:, 1]

    def sum(self, weights: Weights) -> tuple[float, float]:
        """The sum of weighed values over all states in doubled precision: a number and what it misses."""
        high, low = chain_kernels.weighed_sum(self.columns, *weights)
        return float(high), float(low)

    def size(self, weights: Weights) -> Floats:
        """The expected sum of absolute weighed rewards, f64[S]."""
        return abs(weights[0]) * self.columns[:, 2] + abs(weights[1]) * self.columns[:, 3]


class Known(NamedTuple):
    """What some policy earns from a state, for the present weights: no less is of interest."""

    state: int
    value: float

    def is_best(self, values: Floats) -> bool:
        """Whether the best values, f64[S], or what is above them, are no higher there."""
        return bool(values[self.state] <= self.value)
