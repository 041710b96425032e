#!/usr/bin/env python3
"""A learner of one's own on an environment of one's own, with care whose values are learned beside it.

The hall is dark. Lighting it costs more than it spares whoever does it, and less than it spares whoever comes next. A
hall so small can be solved exactly, too: above care 1/4 the light is left on.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

import caregrid

LENGTH = 4


class Hall(gymnasium.Env[Any, Any]):
    """Action 0 walks on, which costs 2 in the dark and 1 in the light; action 1 turns the light on or off, for 5."""

    observation_space, action_space = Box(0, LENGTH, (2,), np.int64), Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.agent_cell, self.lit = 0, False
        return np.array([0, 0]), {}

    def step(self, action: int) -> Any:
        reward = -5.0 if action == 1 else -1.0 if self.lit else -2.0
        self.lit, self.agent_cell = self.lit != (action == 1), self.agent_cell + (action == 0)
        return np.array([self.agent_cell, self.lit]), reward, self.agent_cell == LENGTH, False, {}


def q_learned(env: gymnasium.Env[Any, Any], episodes: int = 400) -> dict[str, Any]:
    """Learn to act, then act greedily: what is known at the end of that episode."""
    values, generator = np.zeros((LENGTH + 1, 2, 2)), np.random.default_rng(0)
    info: dict[str, Any] = {}
    for episode in range(episodes):
        (cell, lit), over = env.reset(seed=episode)[0], False
        while not over:
            explores = generator.random() < 0.2 and episode < episodes - 1
            action = int(generator.integers(2)) if explores else int(values[cell, lit].argmax())
            (next_cell, next_lit), reward, over, _, info = env.step(action)
            ahead = 0.0 if over else values[next_cell, next_lit].max()
            values[cell, lit, action] += 0.5 * (float(reward) + ahead - values[cell, lit, action])
            cell, lit = next_cell, next_lit
    return info["others"]["next agent"]  # type: ignore[no-any-return]


exact = caregrid.problem(caregrid.wrap(Hall))
schedule = caregrid.Refresh(first=3000, every=10, steps=300, memory=20)
for care in (0.0, 0.1, 0.5):
    found = q_learned(caregrid.Considerate(Hall, care=care, refresh=schedule))
    solved = exact.solve(care=care).others["next agent"]
    print(
        f"care {care:g}: the next agent gets {found['true']:g} (estimated {found['estimated']:.2f}; exact: {solved:g})"
    )
