"""For each of n states, a random state of some table: what is handed over, or where doing nothing leads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Floats, Integers
from engine.randomness.inverse_cdf import inverse_cdf


class RandomStates(NamedTuple):
    """number: int32[n, H], states of the table. probability: f64[n, H], rows sum to 1; H is 1 without chance."""

    number: Integers
    probability: Floats

    def expected(self, value: Floats) -> Floats:
        """f64[n]: the mean of values f64[states of the table]."""
        if self.number.shape[1] == 1:
            return value[self.number[:, 0]]
        return np.asarray((self.probability * value[self.number]).sum(axis=1))

    def drawn(self, state: int, uniform: float) -> int:
        """The state that a number from [0, 1) falls into, for one of the n states."""
        return int(self.number[state, inverse_cdf(self.probability[state], uniform)])
