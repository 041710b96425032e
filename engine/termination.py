"""Which states can, and which policies do, end an episode ("Be Considerate", Definition 1).

A policy is terminating where it reaches a terminal state with probability 1. `can_end` holds the states from which
some policy does: the greatest set that can be left for a terminal state without ever risking to fall out of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from engine.mdp import Booleans, TabularMDP


def can_end(mdp: TabularMDP) -> Booleans:
    """bool[S]: some policy reaches a terminal state with probability 1."""
    safe = np.ones(len(mdp.terminal), dtype=np.bool_)
    possible = mdp.probability > 0
    while True:
        stays = np.all(safe[mdp.next_state] | ~possible, axis=2)
        reached = _reaching(mdp, stays)
        if mdp.is_deterministic or (reached == safe).all():
            return reached
        safe = reached


def ends(mdp: TabularMDP, policy: NDArray[np.int32]) -> Booleans:
    """bool[S]: this policy reaches a terminal state with probability 1. policy: int32[S]."""
    chosen = np.zeros(mdp.next_state.shape[:2], dtype=np.bool_)
    chosen[np.arange(len(policy)), policy] = True
    lost = ~_reaching(mdp, chosen)
    return ~_backward(mdp, chosen, lost)


def idle(mdp: TabularMDP) -> Booleans:
    """bool[S]: on a loop of sure steps that pays nothing, where a walker may stay for ever at no cost."""
    n = len(mdp.terminal)
    target = mdp.next_state[:, :, 0]
    free = (mdp.probability[:, :, 0] == 1.0) & (mdp.reward[:, :, 0] == 0.0) & ~mdp.terminal[:, None]
    free &= ~mdp.terminal[target]
    if not free.any():
        return np.zeros(n, dtype=np.bool_)
    origin, action = np.nonzero(free)
    goal = target[origin, action]
    graph = sparse.csr_matrix((np.ones(len(origin), dtype=np.int8), (origin, goal)), shape=(n, n))
    _, component = csgraph.connected_components(graph, directed=True, connection="strong")
    answer = np.bincount(component)[component] > 1
    answer[origin[origin == goal]] = True
    return np.asarray(answer, dtype=np.bool_)


def _reaching(mdp: TabularMDP, allowed: Booleans) -> Booleans:
    """bool[S]: a terminal state is reached with positive probability through allowed actions bool[S, A]."""
    return _backward(mdp, allowed, mdp.terminal)


def _backward(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> Booleans:
    """bool[S]: some allowed step sequence of positive probability leads into the goal states (themselves included)."""
    n = len(mdp.terminal)
    usable = (mdp.probability > 0) & allowed[:, :, None] & ~mdp.terminal[:, None, None]
    origin, _, _ = np.nonzero(usable)
    target = mdp.next_state[usable]
    goals = np.flatnonzero(goal)
    if not len(goals):
        return np.zeros(n, dtype=np.bool_)
    source = np.full(len(goals), n)
    backward = sparse.csr_matrix(
        (
            np.ones(len(origin) + len(goals), dtype=np.int8),
            (np.concatenate([target, source]), np.concatenate([origin, goals])),
        ),
        shape=(n + 1, n + 1),
    )
    found = csgraph.breadth_first_order(backward, n, directed=True, return_predecessors=False)
    answer = np.zeros(n + 1, dtype=np.bool_)
    answer[found] = True
    return answer[:n]
