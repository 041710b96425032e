"""Steps between the states of a deterministic table, by breadth-first search backwards from a goal."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.mdp.mdp import Booleans, TabularMDP
from engine.planning.shortest_path import predecessors


class Reachability:
    """Ask `steps_to(goal)` of a table with one successor a state and action.

    Steps out of terminal states count too, if the table has any."""

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
def steps_to_goal(offset, origin, states, goal):  # type: ignore[no-untyped-def]
    """int32[states]: steps to the goal over predecessor lists (`engine.planning.shortest_path.predecessors`), -1 for
    never."""
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
