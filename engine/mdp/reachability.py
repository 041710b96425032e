"""Which states lead where: all that may reach a set of goals, and the fewest steps to one goal, on grids too.

Sets are found by scipy's breadth-first search. Steps to a goal are counted by a compiled one of our own, five times as
fast as scipy's shortest paths: auxiliary tasks ask it for every state as the goal.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from engine.errors import BadValue
from engine.mdp.mdp import Booleans, TabularMDP


def leading_to(origin: NDArray[np.integer], target: NDArray[np.integer], goal: Booleans) -> Booleans:
    """bool[S]: the states from which some goal state may be reached, the goal states among them.

    origin, target: states int[edges] that each possible step leaves and enters. goal: bool[S].
    """
    n, goals = len(goal), np.flatnonzero(goal)
    source = np.full(len(goals), n)  # one more state, with a step to every goal, from which the search goes backward
    edges = (np.concatenate([target, source]), np.concatenate([origin, goals]))
    backward = sparse.csr_matrix((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(n + 1, n + 1))
    inside: Booleans = np.zeros(n + 1, dtype=np.bool_)
    inside[csgraph.breadth_first_order(backward, n, directed=True, return_predecessors=False)] = True
    return inside[:n]


class Reachability:
    """The fewest steps between states of a table with one successor a state and action: ask `steps_to(goal)`.

    Steps out of terminal states count too, if the table has any. Raises BadValue for a stochastic table.
    """

    def __init__(self, mdp: TabularMDP) -> None:
        if not mdp.is_deterministic:
            raise BadValue("a stochastic table", place="Reachability", remedy="give a deterministic one")
        self._states = len(mdp.terminal)
        nowhere: Booleans = np.zeros(self._states, dtype=np.bool_)
        self._offset, self._origin, _ = predecessors(mdp.next_state[:, :, 0], nowhere)

    def steps_to(self, goal: int) -> NDArray[np.int32]:
        """int32[S]: the fewest steps from every state to the goal, -1 where it cannot be reached."""
        return np.asarray(steps_to_goal(self._offset, self._origin, self._states, goal))


@numba.njit(cache=True)
def predecessors(next_state, terminal):  # type: ignore[no-untyped-def]
    """Steps between non-terminal states by target: offset int64[S + 1], origin int32[edges], action int32[edges]."""
    n, actions = next_state.shape
    offset = np.zeros(n + 1, dtype=np.int64)
    for state in range(n):
        if not terminal[state]:
            for action in range(actions):
                target = next_state[state, action]
                if not terminal[target] and target != state:
                    offset[target + 1] += 1
    for state in range(n):
        offset[state + 1] += offset[state]
    fill = offset[:-1].copy()
    origin = np.empty(offset[n], dtype=np.int32)
    by = np.empty(offset[n], dtype=np.int32)
    for state in range(n):
        if not terminal[state]:
            for action in range(actions):
                target = next_state[state, action]
                if not terminal[target] and target != state:
                    origin[fill[target]] = state
                    by[fill[target]] = action
                    fill[target] += 1
    return offset, origin, by


@numba.njit(cache=True)
def steps_to_goal(offset, origin, states, goal):  # type: ignore[no-untyped-def]
    """int32[states]: steps to the goal over the lists of `predecessors`, -1 where it cannot be reached."""
    steps = np.full(states, -1, dtype=np.int32)
    queue = np.empty(states, dtype=np.int32)
    steps[goal], queue[0] = 0, goal
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        for edge in range(offset[state], offset[state + 1]):
            before = origin[edge]
            if steps[before] < 0:
                steps[before] = steps[state] + 1
                queue[tail] = before
                tail += 1
    return steps


@numba.njit(cache=True)
def steps_on_grid(free, row, column):  # type: ignore[no-untyped-def]
    """int32[rows, columns]: the fewest steps from a cell through free ones, bool[rows, columns]; -1 where none lead."""
    height, width = free.shape
    steps = np.full((height, width), -1, dtype=np.int32)
    if not free[row, column]:
        return steps
    queue = np.empty(height * width, dtype=np.int32)
    queue[0], steps[row, column] = row * width + column, 0
    head, tail = 0, 1
    while head < tail:
        r, c = divmod(queue[head], width)
        head += 1
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            i, j = r + down, c + right
            if 0 <= i < height and 0 <= j < width and free[i, j] and steps[i, j] < 0:
                steps[i, j] = steps[r, c] + 1
                queue[tail] = i * width + j
                tail += 1
    return steps
