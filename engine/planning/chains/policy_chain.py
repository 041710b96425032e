"""The Markov chain of a policy: its transitions, and the classes of states that it never leaves.

Its values are found by `engine.planning.chains.policy_evaluation`. Reference: M. Puterman, "Markov Decision Processes",
1994, appendix A.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.planning import kernels


class Chain(NamedTuple):
    """The chain of a policy: successors int32[S, K], their probabilities f64[S, K], terminal bool[S], discount."""

    target: Integers
    chance: Floats
    terminal: Booleans
    discount: float


class Rewards(NamedTuple):
    """Rewards of the steps of a chain: own, extra f64[S, K]; sizes f64[S, 2], the expected absolute ones."""

    own: Floats
    extra: Floats
    sizes: Floats


def chosen(policy: Policy, *tables: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """[S, K] of each array [S, A, K]: its entries for one action of each state, int32[S]."""
    states = np.arange(len(policy))
    pair = states * tables[0].shape[1] + policy
    for table in tables:
        if not any(table.strides):  # one number for all, such as probabilities that are 1
            yield np.full((len(policy), table.shape[2]), table[0, 0, 0])
        elif table.flags.c_contiguous:
            yield table.reshape(-1, table.shape[2]).take(pair, axis=0)
        else:
            yield np.ascontiguousarray(table[states, policy])


class PolicyChain:
    """The chain of one policy, int32[S], in a table."""

    def __init__(self, mdp: TabularMDP, policy: Policy) -> None:
        self.policy, self._mdp = policy, mdp
        states = np.arange(len(mdp.terminal))
        self._target = mdp.next_state[states, policy]
        self._chance = mdp.probability[states, policy]

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
            steps = kernels.deterministic_values(self._target[:, 0], ones, self._mdp.terminal, 1.0)
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
