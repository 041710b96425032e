"""Act as if you remembered no more than the last few turns.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

import numpy as np

from engine.agent import Transition
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate

SPAN = 5


class LimitedMemory(ExtendedEnvironment):
    """At each turn a fresh copy is trained on just the last five transitions (the oldest first).

    actions, rewards: those of turn t at the place t modulo five.
    """

    in_benchmark = True

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.fresh, self.copy = simulate(), simulate()
        self.turns, self.actions, self.rewards = 0, np.zeros(SPAN, dtype=np.int64), np.zeros(SPAN)

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        reward = 1.0 if action == self.copy.act(0) else -1.0
        actions, rewards, copy = self.actions, self.rewards, self.fresh.fork()
        actions[self.turns % SPAN], rewards[self.turns % SPAN] = action, self.copy_reward_sign * reward
        self.turns += 1
        for turn in range(max(self.turns - SPAN, 0), self.turns):
            copy.train(Transition(0, int(actions[turn % SPAN]), float(rewards[turn % SPAN]), 0))
        self.copy = copy
        return reward, 0
