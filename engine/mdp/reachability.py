"""Which states lead where: all that may reach a set of goals, and the fewest steps to a goal, on grids too.

Breadth-first search, hand-written: scipy's takes a quarter of a second to load, and counting steps is five times as
fast as its shortest paths, which auxiliary tasks ask for with every state as the goal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, TabularMDP


def find_states_leading_to(origin: NDArray[np.integer], target: NDArray[np.integer], goal: Booleans) -> Booleans:
    """Return bool[S], the states from which some goal state may be reached, the goal states among them.

    origin, target: states int[edges] that each possible step leaves and enters. goal: bool[S].
    """
    return count_steps_left(origin, target, goal) >= 0


def count_steps_left(origin: NDArray[np.integer], target: NDArray[np.integer], goal: Booleans) -> NDArray[np.int32]:
    """Return int32[S], the fewest possible steps to some goal state, 0 in these, -1 where none can be reached.

    origin, target, goal: as for `find_states_leading_to`.
    """
    offset = np.zeros(len(goal) + 1, dtype=np.int64)
    np.cumsum(np.bincount(target, minlength=len(goal)), out=offset[1:])
    before = np.empty(len(target), dtype=np.int32)
    list_origins(origin.astype(np.int32), target.astype(np.int32), offset[:-1].copy(), before)
    return _count_steps_back(offset, before, np.flatnonzero(goal))


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


@kernel(fills=1)
def list_origins(origin, target, place, before):  # type: ignore[no-untyped-def]
    """The states that steps leave, in the order of those that they enter. place: where each list begins; used up."""
    for edge in range(len(origin)):
        here = place[target[edge]]
        before[here] = origin[edge]
        place[target[edge]] = here + 1


@kernel(fills=2)
def count_back(offset, before, goals, queue, steps):  # type: ignore[no-untyped-def]
    """Fill `steps`, 0 in the goals and -1 elsewhere before. queue: int32[S], the goals first, so many of them."""
    head, tail = 0, goals
    while head < tail:
        state = queue[head]
        head += 1
        for edge in range(offset[state], offset[state + 1]):
            if steps[before[edge]] < 0:
                steps[before[edge]] = steps[state] + 1
                queue[tail] = before[edge]
                tail += 1


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
