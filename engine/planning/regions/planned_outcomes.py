"""Best behaviours of any table: policy iteration for the weighed sum of all rewards (`engine.planning.lexicographic`).

Ties go to what is best at the weights solved first, a point inside the domain. A cycle that gains for ever there,
though it breaks even at the present weights, leaves ties as they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from engine.mdp.mdp import Floats, Policy
from engine.mdp.reachability import reachable_part
from engine.planning.chains.policy_chain import PolicyChain
from engine.planning.lexicographic import GAIN, EndlessGain, PairIteration
from engine.planning.regions.region import EndlessReturns, Supported
from engine.planning.trade_off.limits import require_an_end
from engine.planning.trade_off.segment import Line, Segment
from engine.planning.trade_off.supporting_lines import rollout
from engine.planning.trade_off.zero_cost_cycles import ZeroCostCycles

ROUNDING = 1e-13


class PlannedOutcomes:
    """The best behaviour from one start state for any weights."""

    def __init__(self, cycles: ZeroCostCycles, rewards: Sequence[Floats], start: int) -> None:
        """cycles: the table. rewards: k + 1, f64[S, A, K] each, of the enlarged table."""
        self._cycles, self._rewards, self._start = cycles, rewards, start
        self._table = reachable_part(cycles.own, start)
        live = ~self._table.terminal[:, None]
        self._expected = [self._table.expected(reward) * live for reward in rewards]
        self._search = PairIteration(self._table.with_reward(rewards[0]), rewards[0])
        self._centre: Floats | None = None

    def best(self, weights: Floats) -> Supported:
        """A best behaviour for some weights, f64[k + 1]. Raises EndlessReturns where a policy gains for ever."""
        leading = self._weighed(weights)
        ties = leading if self._centre is None else self._weighed(self._centre)
        search = self._search.with_rewards(leading, ties)
        require_an_end(search, self._table, self._start)
        try:
            policy = search.best((1.0, 0.0), (0.0, 1.0)).policy
        except EndlessGain as cycle:
            gains = self._gains(cycle)
            if gains @ weights > GAIN * (np.abs(gains) @ np.abs(weights)):
                raise EndlessReturns(gains) from cycle
            policy = search.best((1.0, 0.0), (0.0, 0.0)).policy
        if self._centre is None:
            self._centre = weights
        self._search = search
        returns = self._returns(policy)
        return Supported(returns, partial(self._behaviour, policy, returns))

    def _weighed(self, weights: Floats) -> Floats:
        """sum_i w_i r_i, with 0 for what is but rounding: cycles that break even must do so exactly."""
        terms = [weight * reward for weight, reward in zip(weights, self._rewards, strict=True)]
        total, size = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
        return np.where(np.abs(total) > ROUNDING * size, total, 0.0)

    def _returns(self, policy: Policy) -> Floats:
        """f64[k + 1]: what the policy that was found last earns from the start."""
        returns = list[float]()
        for first in range(0, len(self._rewards), 2):
            pair = self._rewards[first], self._rewards[min(first + 1, len(self._rewards) - 1)]
            returns += self._search.with_rewards(*pair).returns(policy, self._start)[0]
        return np.array(returns[: len(self._rewards)])

    def _gains(self, cycle: EndlessGain) -> Floats:
        """The average rewards in a step of a cycle, f64[k + 1]."""
        share = PolicyChain(self._table, cycle.policy).long_run_share(cycle.states)
        gains = [share @ expected[cycle.states, cycle.policy[cycle.states]] for expected in self._expected]
        return np.array(gains)

    def _behaviour(self, policy: Policy, returns: Floats) -> dict[int, Segment]:
        line = Line(float(returns[0]), float(returns[1:].sum()))
        walk = rollout(self._cycles.own, policy, self._start)
        return {self._start: self._cycles.segment(Segment(-np.inf, np.inf, line, *walk, policy))}
