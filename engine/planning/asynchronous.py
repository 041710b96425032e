"""Asynchronous dynamic programming: states are backed up in any order, and only where a successor has changed.

    V(s) <- V(s) + (r + gamma sum_k P_k V_k - V(s)) / (1 - gamma P(s | s))

What a few changed actions do to values fades on the way back from them, so that most states need no backup. States are
visited in an order in which most steps lead to states that come before: a chain that moves on towards its end is then
nearly solved in one pass. Where a chain goes to and fro, backups are counted and given up for a linear solver.
Reference: D. Bertsekas, "Dynamic Programming and Optimal Control", volume 2, sections 2.6 and 3.5 (asynchronous value
iteration and policy iteration).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.planning import asynchronous_kernels
from engine.planning.policy_chain import Chain, Rewards

ROUGH = 1e-6
NEGLIGIBLE = 1e-16
MOST_BACKUPS = 200  # of a state, on average: what factors would cost
MOST_IMPROVEMENTS = 30
FEW_BACKUPS = 4
MOST_SKIPPED = 63
UNVISITED = 1e-4  # of all states together


class Sweeps:
    """Backups of one stochastic table, for one policy after the other."""

    def __init__(self, table: TabularMDP) -> None:
        self._table, self._count = table, len(table.terminal)
        self._graph = _list_predecessors(table)
        self._order, self._is_stale = np.arange(self._count), True
        self._skipped, self._to_skip = 0, 0
        self._visits: Floats | None = None

    def reorder(self, remaining: Floats) -> None:
        """Visit states by what remains until the end, f64[S]: by the rewards expected from there, in absolute terms.

        Nothing is done as long as few backups do.
        """
        if self._is_stale:
            self._order = self._order[np.argsort(remaining[self._order], kind="stable")]
            self._is_stale = False

    def evaluate(
        self, chain: Chain, rewards: Rewards, value: Floats, waiting: Booleans, rounding: float,
        each: int = MOST_BACKUPS,
    ) -> bool:  # fmt: skip
        """Correct values, f64[S, 6] as in `chain_kernels`, in place until every equation holds; whether they do.

        waiting: bool[S], the states whose equations may not hold. rounding: as in `chain_kernels.residual`. each: how
        many backups of a state at most, on average. After a failure the next ones are not tried for a while.
        """
        if self._skipped < self._to_skip:
            self._skipped += 1
            return False
        most = each * self._count
        backups = asynchronous_kernels.evaluate(
            *chain, *rewards, value, rounding, ROUGH, NEGLIGIBLE, self._order, *self._graph, waiting, most
        )
        self._is_stale = backups > FEW_BACKUPS * self._count
        self._skipped, self._to_skip = 0, min(2 * self._to_skip + 1, MOST_SKIPPED) if backups > most else 0
        return bool(backups <= most)

    def improve(
        self, policy: Policy, value: Floats, expected: Floats, weights: tuple[float, float], allowed: Booleans,
        noise: float, size: Floats, waiting: Booleans,
    ) -> tuple[Policy, Floats | None]:  # fmt: skip
        """Return a better policy, int32[S], by backups of the states that wait, and of those that they reach.

        value: f64[S], of the policy, for the weighed rewards; expected: f64[S, A, 2 or more], what is weighed. noise,
        size f64[S, A]: a difference of the share `noise` of an action's size counts as none. Beside it the values,
        f64[S], of the best policy, None where that would take too long.
        """
        table, result, reached = self._table, policy.copy(), value.copy()
        converged = asynchronous_kernels.improve(
            table.next_state, table.probability, table.discount, expected, *weights, allowed, noise, size,
            self._order, *self._graph, waiting.copy(), result, reached, MOST_IMPROVEMENTS * self._count,
        )  # fmt: skip
        return result, reached if converged else None

    def visits(self, chain: Chain, state: int) -> Floats | None:
        """How often each state is visited from one, discounted, f64[S], roughly; None where that takes too long.

        Found from the visits of the chain before, which a few changed actions leave nearly as they were.
        """
        first = np.zeros(self._count)
        for count in (first,) if self._visits is None else (np.where(chain.terminal, 0.0, self._visits), first):
            arriving = asynchronous_kernels.find_unexplained_visits(*chain, state, count)
            if asynchronous_kernels.correct_visits(
                *chain, self._order, arriving, count, UNVISITED / self._count, MOST_BACKUPS
            ):
                self._visits = count
                return count
        self._visits = None
        return None


def _list_predecessors(mdp: TabularMDP) -> tuple[Integers, Integers]:
    """first int64[S + 1], before int32[N]: steps may lead to a state s from before[first[s] : first[s + 1]]."""
    n, width = len(mdp.terminal), mdp.next_state.shape[1] * mdp.next_state.shape[2]
    possible = (mdp.probability > 0).ravel() & ~np.repeat(mdp.terminal, width)
    origin = np.repeat(np.arange(n, dtype=np.int32), width)[possible]
    ones = np.ones(len(origin), dtype=np.int8)
    steps = sparse.coo_matrix((ones, (origin, mdp.next_state.ravel()[possible])), shape=(n, n)).tocsc()
    return steps.indptr.astype(np.int64), steps.indices.astype(np.int32)
