"""Policy iteration for two rewards in order: the best by first weights and, among those, by second ones.

Two stages. First plain policy iteration on  w1 . (own, extra).  Then its tied actions are frozen,

    T(s) = {a :  w1 . A(s, a) = 0},   A = Q - V for each of the rewards,

and policy iteration on  w2 . (own, extra)  goes on within T. A step of the second stage can therefore never undo one of
the first, and each stage ends: it accepts a policy only if the exact sum of its computed values is larger than that of
the policy before, so no policy comes twice, and there are finitely many.

Tolerances are relative to what a policy really handles: to the expected sum of the absolute rewards, so that units do
not matter. Undiscounted tables start from a proper policy, and strict improvements keep it proper unless they close a
cycle of positive reward: `EndlessGain` names it.
Reference: R. Howard, "Dynamic Programming and Markov Processes", 1960; M. Puterman, "Markov Decision Processes", 1994,
section 7.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.termination import almost_sure_policy
from engine.planning.policy_chain import PolicyChain

DETERMINISTIC_NOISE = 1e-15
STOCHASTIC_NOISE = 1e-13
COARSER = (1.0, 10.0, 100.0, 1000.0)
FINER = (10.0, 1.0, 0.1)
LOSS = 1e-12
ROUNDING = 1e-15  # of a linear solve, relative to its largest value
GAIN = 1e-9
Weights = tuple[float, float]


class EndlessGain(NoPlan):
    """A policy stays among some states for ever and gains on average: no finite optimum.

    own, extra: the average reward of each kind in a step there. states: the states. policy: int32[S].
    """

    def __init__(self, own: float, extra: float, states: NDArray[np.int64], policy: Policy) -> None:
        super().__init__("a cycle has positive reward", place="plan for two rewards", remedy="use a discount below 1")
        self.own, self.extra, self.states, self.policy = own, extra, states, policy

    def __reduce__(self) -> tuple[object, ...]:
        return EndlessGain, (self.own, self.extra, self.states, self.policy)


@dataclass(frozen=True)
class PairValues:
    """A policy, int32[S], and what it earns from every state: own, extra f64[S].

    own_size, extra_size: the expected sums of its absolute rewards of each kind, f64[S], relative to which values are
    rounded. An action's values, f64[S, A], come in the same form.
    """

    policy: Policy
    own: Floats
    extra: Floats
    own_size: Floats
    extra_size: Floats

    def weighed(self, weights: Weights) -> Floats:
        """weights . (own, extra), f64[S]."""
        return weights[0] * self.own + weights[1] * self.extra

    def size(self, weights: Weights) -> Floats:
        """The expected sum of absolute weighed rewards, f64[S]."""
        return abs(weights[0]) * self.own_size + abs(weights[1]) * self.extra_size


class PairIteration:
    """Finds best policies of one table with two rewards, each search starting where the last one ended."""

    def __init__(self, own: TabularMDP, extra: Floats) -> None:
        """own: the table with its reward. extra: f64[S, A, K], the second reward."""
        shape = own.next_state.shape[:2]
        self.noise = DETERMINISTIC_NOISE if own.is_deterministic else STOCHASTIC_NOISE
        self.allowed: Booleans = np.ones(shape, dtype=np.bool_)
        policy: Policy = np.zeros(len(own.terminal), dtype=np.int32)
        self._table = own
        if own.discount == 1.0:
            towards = almost_sure_policy(own, self.allowed, own.terminal)
            lost = (towards < 0) & ~own.terminal
            self.allowed = ~np.any(lost[own.next_state] & (own.probability > 0), axis=2) & ~lost[:, None]
            self._table = replace(own, terminal=own.terminal | lost)
            policy = np.maximum(towards, 0).astype(np.int32)
        live = ~self._table.terminal[:, None]
        self.allowed = self.allowed & live
        rewards = (own.reward, extra, np.abs(own.reward), np.abs(extra))
        self._reward = np.stack([(own.probability * each).sum(axis=2) * live for each in rewards], axis=2)
        rows = np.repeat(np.arange(shape[0] * shape[1]), own.next_state.shape[2])
        self._steps = sparse.csr_matrix(
            (own.probability.ravel(), (rows, own.next_state.ravel())), shape=(shape[0] * shape[1], shape[0])
        )
        self._steps.eliminate_zeros()
        self._present = self._evaluate(PolicyChain(self._table, policy), None)

    def best(self, first: Weights, second: Weights) -> PairValues:
        """Best for first[0] own + first[1] extra and, among those, for second[0] own + second[1] extra.

        Raises EndlessGain where the optimum is not finite.
        """
        leading, gain, size = self._improve(self._present, first, self.allowed)
        self._present = leading
        for finer in FINER:
            tied = self.allowed & (gain >= -finer * self.noise * size)
            try:
                values, _, _ = self._improve(leading, second, tied)
            except EndlessGain as cycle:
                if first[0] * cycle.own + first[1] * cycle.extra < 0.0:  # tied by tolerance alone
                    continue
                raise
            lost = leading.weighed(first) - values.weighed(first)
            size = np.maximum(leading.size(first), values.size(first))
            if (lost <= LOSS * size + ROUNDING * size.max()).all():
                self._present = values
                break
        return self._present

    def _improve(self, values: PairValues, weights: Weights, allowed: Booleans) -> tuple[PairValues, Floats, Floats]:
        """Policy iteration by one weighing; the values, and every action's gain and size, f64[S, A], in the end."""
        for coarser in COARSER:
            while True:
                actions = self._action_values(values)
                gain = actions.weighed(weights) - values.weighed(weights)[:, None]
                size = np.maximum(actions.size(weights), values.size(weights)[:, None])
                better = np.where(allowed & (gain > coarser * self.noise * size), gain, -np.inf)
                improved = np.isfinite(better).any(axis=1)
                if not improved.any():
                    return values, gain, size
                proposal = np.where(improved, better.argmax(axis=1), values.policy).astype(np.int32)
                chain = self._without_idle_cycles(proposal, values.policy, weights)
                following = self._evaluate(chain, values)
                if not _larger(following.weighed(weights), values.weighed(weights)):
                    break
                values = following
        return values, gain, size

    def _evaluate(self, chain: PolicyChain, similar: PairValues | None) -> PairValues:
        """What a chain's policy earns, from the values of a similar one where they help; NoPlan where not finite."""
        guess = None
        if similar is not None:
            guess = np.stack([similar.own, similar.extra, similar.own_size, similar.extra_size], axis=1)
        policy = chain.policy
        value = chain.values(self._reward[np.arange(len(policy)), policy], guess)
        if not np.isfinite(value).all():
            raise NoPlan("a policy has no finite value", place="plan for two rewards")
        return PairValues(policy, *value.T)

    def _action_values(self, values: PairValues) -> PairValues:
        """Q for each kind of value, f64[S, A]."""
        columns = np.stack([values.own, values.extra, values.own_size, values.extra_size], axis=1)
        later = np.asarray(self._steps @ columns).reshape(self._reward.shape)
        return PairValues(values.policy, *np.moveaxis(self._reward + self._table.discount * later, 2, 0))

    def _without_idle_cycles(self, proposal: Policy, policy: Policy, weights: Weights) -> PolicyChain:
        """The chain of the proposal; where it would stay for ever without gain, by rounding, the policy as it was.

        Raises EndlessGain where it would stay for ever and gain.
        """
        while True:
            chain = PolicyChain(self._table, proposal)
            classes = chain.endless_classes() if self._table.discount == 1.0 else []
            if not classes:
                return chain
            proposal = proposal.copy()
            for members in classes:
                own, extra, own_size, extra_size = (
                    chain.long_run_share(members) @ self._reward[members, proposal[members]]
                )
                size = abs(weights[0]) * own_size + abs(weights[1]) * extra_size
                if weights[0] * own + weights[1] * extra > GAIN * size:
                    raise EndlessGain(float(own), float(extra), members, proposal)
                proposal[members] = policy[members]


def _larger(later: Floats, earlier: Floats) -> bool:
    """Whether the exact sum of values has grown: a sum that is rounded once has the right sign."""
    return math.fsum(np.concatenate([later, -earlier])) > 0.0
