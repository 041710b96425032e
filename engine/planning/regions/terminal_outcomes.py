"""Best behaviours of undiscounted deterministic tables in which only one reward comes before the end.

One pass of Dijkstra's algorithm gives the best return of that kind for every way to end, and so a return vector each;
for any weights the best of them is looked up. The reward that comes before the end must not weigh less than 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.regions.domain import CoefficientDomain
from engine.planning.regions.region import Supported
from engine.planning.shortest_path import has_no_positive_step
from engine.planning.trade_off.arrivals import Arrivals
from engine.planning.trade_off.segment import Line, Segment
from engine.planning.trade_off.zero_cost_cycles import ZeroCostCycles

TIED = 1e-12


def early_reward(table: TabularMDP, rewards: Sequence[Floats], domain: CoefficientDomain) -> int | None:
    """The number of the one reward that may come before the end; None where this method does not apply."""
    if table.discount < 1.0 or not table.is_deterministic:
        return None
    ends = table.terminal[table.next_state]
    early = [number for number, reward in enumerate(rewards) if not (ends | (reward == 0.0)).all()] or [0]
    number = early[0]
    if len(early) > 1 or (number and domain.low[number - 1] < 0.0):
        return None
    return number if has_no_positive_step(table.with_reward(rewards[number])) else None


class TerminalOutcomes:
    """The return vectors of all ways to end from one start state, and the best of them for any weights."""

    def __init__(self, cycles: ZeroCostCycles, rewards: Sequence[Floats], early: int, start: int) -> None:
        """cycles: the table. rewards: k + 1, f64[S, A, 1] each, of the enlarged table. early: which one comes early."""
        self._cycles, self._early, self._start = cycles, early, start
        table = cycles.own.with_reward(rewards[early])
        if table.terminal[start]:
            self._arrivals = None
            self._returns: Floats = np.zeros((1, len(rewards)))
            return
        self._arrivals = Arrivals(table, start)
        origin, action = self._arrivals.origin, self._arrivals.action
        returns = np.stack([reward[origin, action, 0] for reward in rewards], axis=1)
        late = np.delete(returns, early, axis=1)
        kinds, self._kind = np.unique(late, axis=0, return_inverse=True)
        self._kind = self._kind.ravel()
        largest = np.full(len(kinds), -np.inf)
        np.maximum.at(largest, self._kind, self._arrivals.owns)
        self._returns = np.insert(kinds, early, largest, axis=1)

    def best(self, weights: Floats) -> Supported:
        """A best behaviour for some weights, f64[k + 1]."""
        values = self._returns @ weights
        tied = np.flatnonzero(values >= values.max() - TIED * (np.abs(self._returns) @ np.abs(weights)))
        number = int(tied[np.lexsort(self._returns[tied].T)[-1]])  # an extreme one
        return Supported(self._returns[number], lambda: {self._start: self._segment(number)})

    def _segment(self, number: int) -> Segment:
        if self._arrivals is None:
            return Segment(-np.inf, np.inf, Line(0.0, 0.0), (self._start,))
        last = (self._kind == number) & (self._arrivals.owns == self._returns[number, self._early])
        line = Line(float(self._returns[number, 0]), float(self._returns[number, 1:].sum()))
        return self._cycles.segment(Segment(-np.inf, np.inf, line, *self._arrivals.first_path(last)))
