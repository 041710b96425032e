"""Which states lead where: all that may reach a set of goals, and the fewest steps to one goal, on grids too.

Sets are found by scipy's breadth-first search. Steps to a goal are counted by one of our own, compiled five times as
fast as scipy's shortest paths: auxiliary tasks ask it for every state as the goal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, TabularMDP


def leading_to(origin: NDArray[np.integer], target: NDArray[np.integer], goal: Booleans) -> Booleans:
    """bool[S]: the states from which some goal state may be reached, the goal states among them.

    origin, target: states int[edges] that each possible step leaves and enters. goal: bool[S].
    """
    from scipy import sparse  # a quarter of a second that plans of deterministic tables need not wait for
    from scipy.sparse import csgraph

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


def predecessors(
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
    """Where the steps into each state begin in a list of all: offset int64[S + 1], zeros before."""
    for state in range(len(terminal)):
        if not terminal[state]:
            for target in next_state[state]:
                if not terminal[target] and target != state:
                    offset[target + 1] += 1
    for state in range(len(terminal)):
        offset[state + 1] += offset[state]


@kernel(fills=3)
def list_steps(next_state, terminal, place, origin, by):  # type: ignore[no-untyped-def]
    """The steps in the order of their targets. place: int64[S + 1], from `count_steps`, is used up."""
    for state in range(len(terminal)):
        if not terminal[state]:
            for action, target in enumerate(next_state[state]):
                if not terminal[target] and target != state:
                    here = place[target]
                    origin[here] = state
                    by[here] = action
                    place[target] = here + 1


@kernel
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


def steps_on_grid(free: Booleans, row: int, column: int) -> NDArray[np.int32]:
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
