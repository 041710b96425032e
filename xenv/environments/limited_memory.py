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
    """At each turn a fresh copy is trained on just the last five transitions (the oldest first)."""

    in_benchmark = True

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.fresh, self.copy = simulate(), simulate()
        self.remembered, self.actions, self.rewards = 0, np.zeros(SPAN, dtype=np.int64), np.zeros(SPAN)

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        reward = 1.0 if action == self.copy.act(0) else -1.0
        self.actions[:-1], self.rewards[:-1] = self.actions[1:], self.rewards[1:]
        self.actions[-1], self.rewards[-1] = action, self.copy_reward_sign * reward
        self.remembered = min(self.remembered + 1, SPAN)
        self.copy = self.fresh.fork()
        for k in range(SPAN - self.remembered, SPAN):
            self.copy.train(Transition(0, int(self.actions[k]), float(self.rewards[k]), 0))
        return reward, 0
