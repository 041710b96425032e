"""The Markov chain of a policy: its values for several rewards at once, and the classes it never leaves.

    V = r + gamma P V,   one factorisation for all rewards

Deterministic chains are evaluated in linear time. Stochastic ones by a sparse direct factorisation, or, where there are
many states, first by the stabilised bi-conjugate gradient method: chains without structure converge in a few steps,
where a factorisation would fill up. References: M. Puterman, "Markov Decision Processes", 1994, section 6.4 and
appendix A; H. van der Vorst, "Bi-CGSTAB", 1992.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import bicgstab, splu

from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.planning import kernels

FACTORISED_STATES = 2_000
ITERATIONS = 60
RESIDUAL = 1e-14


class PolicyChain:
    """The chain of one policy, int32[S], in a table."""

    def __init__(self, mdp: TabularMDP, policy: Policy) -> None:
        self.policy, self._mdp = policy, mdp
        states = np.arange(len(mdp.terminal))
        self._target = mdp.next_state[states, policy]
        self._chance = mdp.probability[states, policy]
        self._discount = mdp.discount

    def values(self, reward: Floats, guess: Floats | None = None) -> Floats:
        """f64[S, M] from M expected one-step rewards, f64[S, M]; the chain ends surely, or the discount is below 1.

        guess: f64[S, M], values of a similar policy, from which the iterative method starts.
        """
        terminal = self._mdp.terminal
        if self._mdp.is_deterministic:
            columns = [
                kernels.evaluate_deterministic(self._target[:, 0], column, terminal, self._discount)
                for column in np.ascontiguousarray(reward.T)
            ]
            return np.stack(columns, axis=1)
        value = np.zeros_like(reward)
        inside = np.flatnonzero(~terminal)
        if len(inside):
            chain = self.transitions[inside][:, inside]
            system = sparse.identity(len(inside), format="csr") - self._discount * chain
            value[inside] = _solved(system, reward[inside], None if guess is None else guess[inside])
        return value

    @cached_property
    def transitions(self) -> Any:
        """P as a sparse matrix, f64[S, S], without impossible steps."""
        shape = (len(self._target),) * 2
        rows = np.broadcast_to(np.arange(len(self._target))[:, None], self._target.shape)
        matrix = sparse.csr_matrix((self._chance.ravel(), (rows.ravel(), self._target.ravel())), shape=shape)
        matrix.eliminate_zeros()
        return matrix

    def endless_classes(self) -> list[NDArray[np.int64]]:
        """The recurrent classes of non-terminal states, each as an ascending array of states."""
        if self._mdp.is_deterministic:
            ones = np.ones(len(self._target))
            steps = kernels.evaluate_deterministic(self._target[:, 0], ones, self._mdp.terminal, 1.0)
            if np.isfinite(steps).all():
                return []
        transitions = self.transitions
        count, component = csgraph.connected_components(transitions, directed=True, connection="strong")
        origin, target = transitions.nonzero()
        closed: Booleans = np.ones(count, dtype=np.bool_)
        closed[component[origin[component[origin] != component[target]]]] = False
        closed[component[self._mdp.terminal]] = False
        members = np.flatnonzero(closed[component])
        order = members[np.argsort(component[members], kind="stable")]
        return np.split(order, np.flatnonzero(np.diff(component[order])) + 1) if len(order) else []

    def long_run_share(self, members: NDArray[np.int64]) -> Floats:
        """The stationary distribution of a recurrent class, f64[len(members)]."""
        if len(members) == 1:
            return np.ones(1)
        chain = self.transitions[members][:, members]
        balance = (sparse.identity(len(members), format="csr") - chain).T.tolil()
        balance[0, :] = 1.0  # one balance equation follows from the others
        total = np.zeros(len(members))
        total[0] = 1.0
        return np.asarray(splu(balance.tocsc()).solve(total))


def _solved(system: Any, right: Floats, guess: Floats | None) -> Floats:
    """The solution of a sparse linear system for every column of the right side."""
    if len(right) > FACTORISED_STATES:
        columns = []
        for number, column in enumerate(right.T):
            begin = None if guess is None else guess[:, number]
            solution, unfinished = bicgstab(system, column, x0=begin, rtol=RESIDUAL, atol=0.0, maxiter=ITERATIONS)
            if unfinished or not np.isfinite(solution).all():
                break
            columns.append(solution)
        else:
            return np.stack(columns, axis=1)
    return np.asarray(splu(system.tocsc()).solve(np.ascontiguousarray(right)))
