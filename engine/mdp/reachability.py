"""Which states lead where, which of them can, and which policies do, end an episode ("Be Considerate", Definition 1).

A policy is proper (terminating) from a state where it reaches a terminal state with probability 1.
`has_proper_policy` holds the states from which some policy is: the greatest set that can be left for a terminal state
without ever risking to fall out of it. `find_zero_cost_cycle_states` holds those from which some policy goes on for
ever at no cost, which an undiscounted plan may prefer. Reference: D. Bertsekas, "Dynamic Programming and Optimal
Control", volume 2, chapter 3 (stochastic shortest paths; proper policies).

All of them rest on the fewest steps to a goal, counted by breadth-first search, on grids too. It is hand-written:
scipy's takes a quarter of a second to load, and counting steps is five times as fast as its shortest paths, which
auxiliary tasks ask for with every state as the goal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats, TabularMDP

MOST_LAYERS = 200


def find_states_leading_to(origin: NDArray[np.integer], target: NDArray[np.integer], goal: Booleans) -> Booleans:
    """Return bool[S], the states from which some goal state may be reached, the goal states among them.

    origin, target: states int[edges] that each possible step leaves and enters. goal: bool[S].
    """
    return count_steps_left(origin, target, goal) >= 0


def count_steps_left(origin: NDArray[np.integer], target: NDArray[np.integer], goal: Booleans) -> NDArray[np.int32]:
    """Return int32[S], the fewest possible steps to some goal state, 0 in these, -1 where none can be reached.

    origin, target, goal: as for `find_states_leading_to`.
    """
    return _count_steps_back(*sort_by_target(origin, target, len(goal)), np.flatnonzero(goal))


def sort_by_target(
    origin: NDArray[np.integer], target: NDArray[np.integer], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """offset int64[S + 1], before int32[edges]: steps enter a state s from before[offset[s] : offset[s + 1]].

    origin, target: states int[edges] that each possible step leaves and enters. count: how many states there are.
    """
    offset = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(target, minlength=count), out=offset[1:])
    before = np.empty(len(target), dtype=np.int32)
    list_origins(origin.astype(np.int32), target.astype(np.int32), offset[:-1].copy(), before)
    return offset, before


def find_predecessors(
    offset: NDArray[np.int64], before: NDArray[np.int32], states: NDArray[np.integer]
) -> NDArray[np.int32]:
    """Return int32[N], the states from which a step leads to one of some states: more than once where several do.

    offset, before: from `sort_by_target`. states: int[M].
    """
    counts = offset[states + 1] - offset[states]
    places = np.repeat(offset[states] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    found: NDArray[np.int32] = before[places]
    return found


def _count_steps_back(
    offset: NDArray[np.int64], before: NDArray[np.int32], goals: NDArray[np.int64]
) -> NDArray[np.int32]:
    """int32[S]: the fewest steps to one of the goals; steps enter a state s from before[offset[s] : offset[s + 1]]."""
    steps, queue = np.full(len(offset) - 1, -1, dtype=np.int32), np.empty(len(offset) - 1, dtype=np.int32)
    steps[goals], queue[: len(goals)] = 0, goals
    count_back(offset, before, len(goals), queue, steps)
    return steps


def keep_reachable_part(mdp: TabularMDP, start: int) -> TabularMDP:
    """Return a table in which the states that cannot be reached from the start are terminal."""
    n, width = len(mdp.terminal), mdp.next_state.shape[1] * mdp.next_state.shape[2]
    possible = (mdp.probability > 0).ravel()
    origin, target = np.repeat(np.arange(n), width)[possible], mdp.next_state.ravel()[possible]
    reached = find_states_leading_to(target, origin, np.arange(n) == start)  # steps backwards
    return replace(mdp, terminal=mdp.terminal | ~reached)


class Reachability:
    """The fewest steps between states of a table with one successor a state and action: ask `steps_to(goal)`.

    Steps out of terminal states count too, if the table has any. Raises BadValue for a stochastic table.
    """

    def __init__(self, mdp: TabularMDP) -> None:
        if not mdp.is_deterministic:
            raise BadValue("a stochastic table", place="Reachability", remedy="give a deterministic one")
        nowhere: Booleans = np.zeros(len(mdp.terminal), dtype=np.bool_)
        self._offset, self._origin, _ = list_predecessors(mdp.next_state[:, :, 0], nowhere)

    def steps_to(self, goal: int) -> NDArray[np.int32]:
        """Return int32[S], the fewest steps from every state to the goal, -1 where it cannot be reached."""
        return _count_steps_back(self._offset, self._origin, np.array([goal]))


def list_predecessors(
    next_state: NDArray[np.int32], terminal: Booleans
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Steps between non-terminal states by target: offset int64[S + 1], origin int32[edges], action int32[edges].

    next_state: int32[S, A]. Steps that stay in their state are left out.
    """
    offset = np.zeros(len(terminal) + 1, dtype=np.int64)
    count_steps(next_state, terminal, offset)
    origin, by = np.empty((2, int(offset[-1])), dtype=np.int32)
    list_steps(next_state, terminal, offset.copy(), origin, by)
    return offset, origin, by


@kernel(fills=1)
def count_steps(next_state, terminal, offset):  # type: ignore[no-untyped-def]
    """Fill offset, int64[S + 1], zeros before: where the steps into each state begin in a list of all steps."""
    for state in range(len(terminal)):
        if not terminal[state]:
            for target in next_state[state]:
                if not terminal[target] and target != state:
                    offset[target + 1] += 1
    for state in range(len(terminal)):
        offset[state + 1] += offset[state]


@kernel(fills=3)
def list_steps(next_state, terminal, place, origin, by):  # type: ignore[no-untyped-def]
    """List the steps in the order of their targets. place: int64[S + 1], from `count_steps`, is used up."""
    for state in range(len(terminal)):
        if not terminal[state]:
            for action, target in enumerate(next_state[state]):
                if not terminal[target] and target != state:
                    here = place[target]
                    origin[here] = state
                    by[here] = action
                    place[target] = here + 1


def _sort_origins(origin, target, place, before):  # type: ignore[no-untyped-def]
    """Do what `list_origins` does."""
    before[...] = origin[np.argsort(target, kind="stable")]
    return True


@kernel(fills=1, arrays=_sort_origins)
def list_origins(origin, target, place, before):  # type: ignore[no-untyped-def]
    """The states that steps leave, in the order of those that they enter. place: where each list begins; used up."""
    for edge in range(len(origin)):
        here = place[target[edge]]
        before[here] = origin[edge]
        place[target[edge]] = here + 1


def _count_by_layers(offset, before, goals, queue, steps):  # type: ignore[no-untyped-def]
    """Do what `count_back` does where all states are near the goals: those of one distance after the other."""
    layer = queue[:goals]
    for distance in range(1, MOST_LAYERS):
        found = find_predecessors(offset, before, layer)
        steps[found[steps[found] < 0]] = distance
        layer = np.flatnonzero(steps == distance)
        if not len(layer):
            return True
    steps[steps > 0] = -1
    return False


@kernel(fills=1, arrays=_count_by_layers)
def count_back(offset, before, goals, queue, steps):  # type: ignore[no-untyped-def]
    """Fill `steps`, 0 in the goals and -1 elsewhere before.

    queue: int32[S], the goals first, so many of them; it is used up.
    """
    head, tail = 0, goals
    while head < tail:
        state = queue[head]
        head += 1
        for edge in range(offset[state], offset[state + 1]):
            if steps[before[edge]] < 0:
                steps[before[edge]] = steps[state] + 1
                queue[tail] = before[edge]
                tail += 1


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
    nearer = _find_chances_of_nearing(mdp, allowed, goal) > 0.0
    return np.where(np.any(nearer, axis=1), nearer.argmax(axis=1), -1).astype(np.int32)


def find_direct_policy(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> NDArray[np.int32]:
    """As `find_almost_sure_policy`, with the action that is the most likely to lead nearer: it takes fewer steps."""
    chances = _find_chances_of_nearing(mdp, allowed, goal)
    return np.where(np.any(chances > 0.0, axis=1), chances.argmax(axis=1), -1).astype(np.int32)


def _find_chances_of_nearing(mdp: TabularMDP, allowed: Booleans, goal: Booleans) -> Floats:
    """Return f64[S, A], how likely a next state is nearer to the goal; 0 for actions after which it may be missed."""
    safe, left = find_almost_sure_actions(mdp, allowed, goal)
    nearer = (left[mdp.next_state] == left[:, None, None] - 1) & (left > 0)[:, None, None]
    return np.where(safe, np.where(nearer, mdp.probability, 0.0).sum(axis=2), 0.0)


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


def count_steps_on_grid(free: Booleans, row: int, column: int) -> NDArray[np.int32]:
    """int32[rows, columns]: the fewest steps from a cell through free ones, bool[rows, columns]; -1 where none lead."""
    steps = np.full(free.shape, -1, dtype=np.int32)
    if free[row, column]:
        walk_on_grid(free, row, column, np.empty(free.size, dtype=np.int32), steps)
    return steps


@kernel(fills=1)
def walk_on_grid(free, row, column, queue, steps):  # type: ignore[no-untyped-def]
    """Fill `steps`, -1 everywhere before. queue: int32[rows * columns], for the cells that are to be looked around."""
    height, width = len(free), len(free[0])
    queue[0], steps[row][column] = row * width + column, 0
    head, tail = 0, 1
    while head < tail:
        r, c = divmod(queue[head], width)
        head += 1
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            i, j = r + down, c + right
            if 0 <= i < height and 0 <= j < width and free[i][j] and steps[i][j] < 0:
                steps[i][j] = steps[r][c] + 1
                queue[tail] = i * width + j
                tail += 1
