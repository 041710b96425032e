"""Not ending as a way to end: where an undiscounted walker may go on for ever at no cost, resting becomes an action.

Planners that compare ways of ending then compare that one too: it pays nothing more, of either reward. An optimal
policy may well prefer it ("Be Considerate", section 3.1, on incentives to avoid terminal states).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.termination import at_rest, resting_actions
from engine.planning.dynamic_programming import Policy
from engine.planning.trade_off.segment import Segment

Number = TypeVar("Number", np.int32, np.float64)


class Resting:
    """A table with one more action, "rest", into one more terminal state, where one can go on at no cost.

    own: the table with its reward. auxiliary: f64[S, A, K], a second reward that must be free too. `own` and
    `auxiliary` are the enlarged ones; the same objects where nobody can rest.
    """

    def __init__(self, own: TabularMDP, auxiliary: Floats) -> None:
        self.original = own
        both = own.with_reward(np.abs(own.reward) + np.abs(auxiliary))
        self.rest = at_rest(both) if own.discount == 1.0 else np.zeros(len(own.terminal), dtype=np.bool_)
        self.own, self.auxiliary = own, auxiliary
        if not self.rest.any():
            return
        self.loops = resting_actions(both, self.rest).argmax(axis=1)
        self.own = replace(
            own,
            actions=(*own.actions, "rest"),
            next_state=self._enlarge(own.next_state, len(own.terminal)),
            probability=self._enlarge(own.probability, 1.0),
            reward=self._enlarge(own.reward, 0.0),
            terminal=np.append(own.terminal, True),
            start=np.append(own.start, 0.0),
        )
        self.auxiliary = self._enlarge(auxiliary, 0.0)

    def _enlarge(self, array: NDArray[Number], beyond: float) -> NDArray[Number]:
        """One action and one state more; `beyond`: what the action has in its first slot where one can rest."""
        grown: NDArray[Number] = np.concatenate([array, array[:, :1]], axis=1)
        grown[self.rest, -1] = 0
        grown[self.rest, -1, 0] = beyond
        last = np.zeros((1, *grown.shape[1:]), dtype=grown.dtype)
        last[:, :, 0] = beyond
        return np.concatenate([grown, last])

    def segment(self, found: Segment) -> Segment:
        """A segment in the table as it was: it rests as soon as it can, by going on until a state comes again."""
        if not self.rest.any():
            return found
        policy = None if found.policy is None else self._policy(found.policy)
        rests = bool(found.path) and found.path[-1] == len(self.rest)
        if not rests:
            return replace(found, policy=policy)
        first = next(n for n, state in enumerate(found.path) if self.rest[state])
        path, actions = list(found.path[: first + 1]), list(found.actions[:first])
        while len(set(path)) == len(path):
            actions.append(int(self.loops[path[-1]]))
            path.append(int(self.original.next_state[path[-1], actions[-1], 0]))
        if policy is None:
            policy = np.zeros(len(self.rest), dtype=np.int32)
            policy[path[:-1]] = actions
        return replace(found, path=tuple(path), actions=tuple(actions), policy=policy)

    def _policy(self, policy: Policy) -> Policy:
        """A policy in the table as it was."""
        rests = policy[:-1] == len(self.original.actions)
        return np.where(rests, np.where(self.rest, self.loops, 0), policy[:-1]).astype(np.int32)
