"""Zero-cost cycles as terminal states: staying in one for ever becomes an action into one more terminal state.

Planners that compare terminal states then compare that one too: it has reward 0, of either kind. An optimal policy may
well prefer it ("Be Considerate", section 3.1, on incentives to avoid terminal states).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.termination import zero_cost_cycle_actions, zero_cost_cycle_states
from engine.planning.trade_off.segment import Segment

Number = TypeVar("Number", np.int32, np.float64)


class ZeroCostCycles:
    """A table with one more action, "cycle", into one more terminal state, where a zero-cost cycle can be entered.

    own: the table with its reward. auxiliary: f64[S, A, K], a second reward that must be 0 there too. `own` and
    `auxiliary` are the enlarged ones; the same objects where there is no such cycle.
    """

    def __init__(self, own: TabularMDP, auxiliary: Floats) -> None:
        self.original = own
        self.cyclic = np.zeros(len(own.terminal), dtype=np.bool_)
        if own.discount == 1.0:
            self.cyclic = zero_cost_cycle_states(own, auxiliary)
        self.own, self.auxiliary = own, auxiliary
        if not self.cyclic.any():
            return
        self.cycle_action = zero_cost_cycle_actions(own, self.cyclic, auxiliary).argmax(axis=1)
        self.own = replace(
            own,
            actions=(*own.actions, "cycle"),
            next_state=self.enlarged(own.next_state, len(own.terminal)),
            probability=self.enlarged(own.probability, 1.0),
            reward=self.enlarged(own.reward, 0.0),
            terminal=np.append(own.terminal, True),
            start=np.append(own.start, 0.0),
        )
        self.auxiliary = self.enlarged(auxiliary, 0.0)

    def enlarged(self, array: NDArray[Number], beyond: float) -> NDArray[Number]:
        """An array [S, A, K] with one action and one state more, as it is where there is no such cycle.

        beyond: what the action has in its first slot in zero-cost cycles.
        """
        if not self.cyclic.any():
            return array
        grown: NDArray[Number] = np.concatenate([array, array[:, :1]], axis=1)
        grown[self.cyclic, -1] = 0
        grown[self.cyclic, -1, 0] = beyond
        last = np.zeros((1, *grown.shape[1:]), dtype=grown.dtype)
        last[:, :, 0] = beyond
        return np.concatenate([grown, last])

    def segment(self, segment: Segment) -> Segment:
        """A segment in the original table: it cycles once it has earned all; its path ends where a state recurs."""
        if not self.cyclic.any():
            return segment
        policy = None if segment.policy is None else self._policy(segment.policy)
        cycles = bool(segment.path) and segment.path[-1] == len(self.cyclic)
        if not cycles:
            return replace(segment, policy=policy)
        first = self._earned_all(segment)
        path, actions = list(segment.path[: first + 1]), list(segment.actions[:first])
        while len(set(path)) == len(path):
            actions.append(int(self.cycle_action[path[-1]]))
            path.append(int(self.original.next_state[path[-1], actions[-1], 0]))
        policy = np.zeros(len(self.cyclic), dtype=np.int32) if policy is None else policy
        policy[path[:-1]] = actions  # a state on the way round may have an equally good way out
        return replace(segment, path=tuple(path), actions=tuple(actions), policy=policy)

    def _earned_all(self, segment: Segment) -> int:
        """The first position of a path in a zero-cost cycle from which on no reward of either kind comes."""
        first = len(segment.path) - 2
        for n in range(first - 1, -1, -1):
            step = segment.path[n], segment.actions[n], 0
            if self.own.reward[step] != 0.0 or self.auxiliary[step] != 0.0:
                break
            first = n if self.cyclic[segment.path[n]] else first
        return first

    def _policy(self, policy: Policy) -> Policy:
        """A policy in the table as it was."""
        cycles = policy[:-1] == len(self.original.actions)
        return np.where(cycles, np.where(self.cyclic, self.cycle_action, 0), policy[:-1]).astype(np.int32)
