"""Which states can, and which policies do, end an episode ("Be Considerate", Definition 1).

A policy is proper (terminating) from a state where it reaches a terminal state with probability 1.
`has_proper_policy` holds the states from which some policy is: the greatest set that can be left for a terminal state
without ever risking to fall out of it. `find_zero_cost_cycle_states` holds those from which some policy goes on for
ever at no cost, which an undiscounted plan may prefer. Reference: D. Bertsekas, "Dynamic Programming and Optimal
Control", volume 2, chapter 3 (stochastic shortest paths; proper policies).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.reachability import count_steps_left


def has_proper_policy(mdp: TabularMDP, zero_cost: Booleans | None = None) -> Booleans:
    """Return bool[S], whether some policy reaches a terminal state with probability 1.

    zero_cost: bool[S], states that count as terminal ones here, such as those of `find_zero_cost_cycle_states`.
    """
    goal = mdp.terminal if zero_cost is None else mdp.terminal | zero_cost
    everything = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    if mdp.is_deterministic:
        return count_allowed_steps(mdp, everything, goal) >= 0
    return find_almost_sure_actions(mdp, everything, goal)[1] >= 0


def find_proper_states(mdp: TabularMDP, policy: NDArray[np.int32]) -> Booleans:
    """Return bool[S], the states from which a policy, int32[S], reaches a terminal state with probability 1."""
    return count_allowed_steps(mdp, _mark_policy(mdp, policy), find_lost_states(mdp, policy)) < 0


def find_lost_states(mdp: TabularMDP, policy: NDArray[np.int32]) -> Booleans:
    """Return bool[S], the states from which a policy, int32[S], reaches no terminal state at all."""
    return count_allowed_steps(mdp, _mark_policy(mdp, policy), mdp.terminal) < 0


def find_zero_cost_cycle_states(mdp: TabularMDP, second: Floats | None = None) -> Booleans:
    """Return bool[S], the states from which some policy cycles among non-terminal states for ever with reward 0.

    second: f64[S, A, K], a reward that must be 0 there as well.
    """
    free, inside = _find_free_actions(mdp, second), ~mdp.terminal
    while inside.any():
        staying: Booleans = np.any(_find_actions_within(mdp, free, inside), axis=1)
        if (staying == inside).all():
            break
        inside = staying
    return inside


def find_zero_cost_cycle_actions(mdp: TabularMDP, inside: Booleans, second: Floats | None = None) -> Booleans:
    """Return bool[S, A], actions of reward 0 that lead from the states `inside`, bool[S], into them with probability 1.

    second: as for `find_zero_cost_cycle_states`.
    """
    return _find_actions_within(mdp, _find_free_actions(mdp, second), inside)


def find_almost_sure_policy(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> NDArray[np.int32]:
    """Return int32[S], a policy of allowed actions that reaches the goal with probability 1.

    Of several such actions it takes the first that may lead nearer; -1 in the goal and where there is none.
    allowed: bool[S, A]. goal: bool[S], terminal states belong to it.
    """
    safe, left = find_almost_sure_actions(mdp, allowed, goal)
    nearer: Booleans = np.any((left[mdp.next_state] == left[:, None, None] - 1) & (mdp.probability > 0.0), axis=2)
    nearer &= safe & (left > 0)[:, None]
    return np.where(np.any(nearer, axis=1), nearer.argmax(axis=1), -1).astype(np.int32)


def find_recurrent_part(mdp: TabularMDP, allowed: Booleans, core: Booleans) -> tuple[Booleans, Booleans]:
    """The states of a core, bool[S], to which a policy can come back again and again, and actions bool[S, A] for that.

    allowed: bool[S, A]. The actions never lead to where there is no way back to the core.
    """
    core = core & ~mdp.terminal
    while True:
        staying, _ = find_almost_sure_actions(mdp, allowed, core)
        kept = core & staying.any(axis=1)
        if (kept == core).all():
            return staying, core
        core = kept


def _mark_policy(mdp: TabularMDP, policy: NDArray[np.int32]) -> Booleans:
    """Return bool[S, A], the actions that a policy takes."""
    chosen = np.zeros(mdp.next_state.shape[:2], dtype=np.bool_)
    chosen[np.arange(len(policy)), policy] = True
    return chosen


def find_end_components(mdp: TabularMDP, allowed: Booleans) -> tuple[NDArray[np.int64], Booleans]:
    """Return the largest sets of states in which a policy of allowed actions, bool[S, A], can stay for ever.

    In each of them it can come from every state to every other. The number of each state's set, int64[S], -1 without
    one; and the actions that stay in it, bool[S, A].
    """
    from scipy import sparse
    from scipy.sparse import csgraph

    count = len(mdp.terminal)
    possible = mdp.probability > 0
    staying: Booleans = allowed & ~mdp.terminal[:, None]
    while True:
        inside: Booleans = np.any(staying, axis=1)
        usable = possible & staying[:, :, None]
        origin, _, _ = np.nonzero(usable)
        steps = (np.ones(len(origin), dtype=np.int8), (origin, mdp.next_state[usable]))
        graph = sparse.coo_matrix(steps, shape=(count, count))
        _, component = csgraph.connected_components(graph, directed=True, connection="strong")
        same: Booleans = np.equal(component[mdp.next_state], component[:, None, None]) & inside[mdp.next_state]
        kept: Booleans = staying & np.all(same | ~possible, axis=2)
        if (kept == staying).all():
            return np.where(inside, component, -1).astype(np.int64), staying
        staying = kept


def find_almost_sure_actions(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> tuple[Booleans, NDArray[np.int32]]:
    """Allowed actions bool[S, A] that never leave the states from which the goal is reached almost surely.

    With the fewest steps of these actions to the goal, int32[S], -1 in all other states.
    """
    safe = np.ones(len(goal), dtype=np.bool_)
    while True:
        staying = allowed & _find_staying_actions(mdp, safe)
        left = count_allowed_steps(mdp, staying, goal)
        if ((left >= 0) == safe).all():
            return staying, left
        safe = left >= 0


def _find_free_actions(mdp: TabularMDP, second: Floats | None) -> Booleans:
    """Return bool[S, A], actions without any reward, nor any of the second kind."""
    costly: Booleans = mdp.reward != 0.0
    if second is not None:
        costly |= second != 0.0
    if mdp.is_deterministic:
        return ~costly[:, :, 0]
    free: Booleans = ~np.any(costly & (mdp.probability > 0.0), axis=2)
    return free


def _find_actions_within(mdp: TabularMDP, free: Booleans, inside: Booleans) -> Booleans:
    """Return bool[S, A], free actions that lead from the states `inside`, bool[S], into them with probability 1."""
    leaving = free & inside[:, None]
    return leaving & _find_staying_actions(mdp, inside) if leaving.any() else leaving


def _find_staying_actions(mdp: TabularMDP, inside: Booleans) -> Booleans:
    """Return bool[S, A], all possible successors lie inside bool[S]."""
    if mdp.is_deterministic:
        return inside[mdp.next_state[:, :, 0]]
    staying: Booleans = np.all(inside[mdp.next_state] | (mdp.probability == 0.0), axis=2)
    return staying


def count_allowed_steps(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> NDArray[np.int32]:
    """int32[S]: the fewest allowed steps of positive probability into the goal states, -1 where none lead there."""
    usable = (mdp.probability > 0) & allowed[:, :, None] & ~mdp.terminal[:, None, None]
    origin = np.flatnonzero(usable) // (usable.shape[1] * usable.shape[2])
    return count_steps_left(origin, mdp.next_state[usable], goal)
