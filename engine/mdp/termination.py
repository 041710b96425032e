"""Which states can, and which policies do, end an episode ("Be Considerate", Definition 1).

A policy is terminating where it reaches a terminal state with probability 1. `can_end` holds the states from which
some policy does: the greatest set that can be left for a terminal state without ever risking to fall out of it.
`at_rest` holds those from which some policy goes on for ever at no cost, which an undiscounted plan may prefer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from engine.mdp.mdp import Booleans, TabularMDP


def can_end(mdp: TabularMDP, resting: Booleans | None = None) -> Booleans:
    """bool[S]: some policy reaches a terminal state (or one of `resting`, bool[S]) with probability 1."""
    goal = mdp.terminal if resting is None else mdp.terminal | resting
    everything = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    if mdp.is_deterministic:
        return _backward(mdp, everything, goal)
    return _surely(mdp, everything, goal)[1]


def ends(mdp: TabularMDP, policy: NDArray[np.int32]) -> Booleans:
    """bool[S]: this policy reaches a terminal state with probability 1. policy: int32[S]."""
    chosen = np.zeros(mdp.next_state.shape[:2], dtype=np.bool_)
    chosen[np.arange(len(policy)), policy] = True
    lost = ~_backward(mdp, chosen, mdp.terminal)
    return ~_backward(mdp, chosen, lost)


def at_rest(mdp: TabularMDP) -> Booleans:
    """bool[S]: some policy stays on the way for ever and never pays nor costs anything."""
    inside: Booleans = ~mdp.terminal
    while inside.any():
        staying: Booleans = np.any(resting_actions(mdp, inside), axis=1)
        if (staying == inside).all():
            break
        inside = staying
    return inside


def resting_actions(mdp: TabularMDP, inside: Booleans) -> Booleans:
    """bool[S, A]: actions that surely lead from states bool[S] into such states again, and pay nothing."""
    free = np.all((mdp.reward == 0.0) | (mdp.probability == 0.0), axis=2) & inside[:, None]
    return free & _staying(mdp, inside) if free.any() else free


def approach(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> NDArray[np.int32]:
    """int32[S]: the first allowed action that surely leads to the goal in the end, -1 in it and where there is none.

    allowed: bool[S, A]. goal: bool[S], terminal states belong to it.
    """
    surely, _ = _surely(mdp, allowed, goal)
    policy = np.full(len(goal), -1, dtype=np.int32)
    near = goal.copy()
    while True:
        nearer = surely & np.any(near[mdp.next_state] & (mdp.probability > 0), axis=2) & ~near[:, None]
        found = np.flatnonzero(nearer.any(axis=1))
        if not len(found):
            return policy
        policy[found] = nearer[found].argmax(axis=1)
        near[found] = True


def _surely(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> tuple[Booleans, Booleans]:
    """Allowed actions bool[S, A] that never leave the states bool[S] from which the goal can be reached surely."""
    safe = np.ones(len(goal), dtype=np.bool_)
    while True:
        staying = allowed & _staying(mdp, safe)
        reached = _backward(mdp, staying, goal)
        if (reached == safe).all():
            return staying, safe
        safe = reached


def _staying(mdp: TabularMDP, inside: Booleans) -> Booleans:
    """bool[S, A]: all possible successors lie inside bool[S]."""
    return np.all(inside[mdp.next_state] | (mdp.probability == 0.0), axis=2)


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
