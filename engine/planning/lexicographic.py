"""Policy iteration for two rewards at once: the best by first weights and, among equals, by second ones.

    improve where  w1 . A(s, a) > 0,  or  w1 . A(s, a) = 0  and  w2 . A(s, a) > 0,   A = Q - V for each of the rewards

Each policy is evaluated exactly for both rewards, so that one of them may be as large as it likes without blurring the
other. Undiscounted tables start from a proper policy; strict improvements keep it so, unless a cycle has positive
reward.
Reference: R. Howard, "Dynamic Programming and Markov Processes", 1960.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.termination import almost_sure_policy
from engine.planning.dynamic_programming import Policy, action_values, evaluate_policy

EQUAL = 1e-9
MOST_ROUNDS = 10_000
Weights = tuple[float, float]


class PairIteration:
    """Finds best policies of one table with two rewards, each search starting where the last one ended."""

    def __init__(self, own: TabularMDP, extra: Floats) -> None:
        """own: the table with its reward. extra: f64[S, A, K], the second reward."""
        self.policy: Policy = np.zeros(len(own.terminal), dtype=np.int32)
        self.allowed: Booleans = np.ones(own.next_state.shape[:2], dtype=np.bool_)
        self._own = own
        if own.discount == 1.0:
            towards = almost_sure_policy(own, self.allowed, own.terminal)
            lost = (towards < 0) & ~own.terminal
            self.allowed = ~np.any(lost[own.next_state] & (own.probability > 0), axis=2) & ~lost[:, None]
            self._own = replace(own, terminal=own.terminal | lost)
            self.policy = np.maximum(towards, 0)
        self._extra = self._own.with_reward(extra)

    def best(self, first: Weights, second: Weights) -> Policy:
        """int32[S]: best for first[0] own + first[1] extra and, among those, for second[0] own + second[1] extra."""
        for _ in range(MOST_ROUNDS):
            better = self._improved(first, second)
            if (better == self.policy).all():
                return self.policy.copy()
            self.policy = better
        raise NoPlan("the policies do not converge", place="policy iteration for two rewards")

    def values(self, policy: Policy) -> tuple[Floats, Floats]:
        """The values of a policy for each reward: f64[S] twice; NoPlan where they are not finite."""
        both = evaluate_policy(self._own, policy), evaluate_policy(self._extra, policy)
        if not all(np.isfinite(value).all() for value in both):
            raise NoPlan("a cycle has positive reward", place="parametric plan", remedy="use a discount below 1")
        return both

    def _improved(self, first: Weights, second: Weights) -> Policy:
        """The policy after one round of strict improvements."""
        values = self.values(self.policy)
        tables = (self._own, self._extra)
        advantages = [action_values(*pair) - pair[1][:, None] for pair in zip(tables, values, strict=True)]
        gains, slacks = [], []
        for weights in (first, second):
            gain = weights[0] * advantages[0] + weights[1] * advantages[1]
            size = abs(weights[0]) * np.abs(values[0]) + abs(weights[1]) * np.abs(values[1])
            gains.append(np.where(self.allowed, gain, -np.inf))
            slacks.append(EQUAL * np.maximum(max(map(abs, weights)), size)[:, None])
        tied = np.where(gains[0] >= -slacks[0], gains[1], -np.inf)
        by_first = (gains[0] > slacks[0]).any(axis=1)
        by_second = (tied > slacks[1]).any(axis=1)
        chosen = np.where(by_second, tied.argmax(axis=1), self.policy)
        return np.where(by_first, gains[0].argmax(axis=1), chosen).astype(np.int32)
