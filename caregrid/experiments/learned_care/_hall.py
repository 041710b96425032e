"""A hall with lamps: lighting one costs oneself more than it spares oneself, and spares the next agent as much.

A step through the hall costs 1 for each lamp that is out, and 1 more. The n-th lamp costs LENGTH + n: of caring
coefficients below n / LENGTH the n-th is left out. The next agent walks through the hall as it was left.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

LENGTH = 4
LAMPS = 3
WALK = 0
LIGHT = 1


class Hall(gymnasium.Env[Any, Any]):
    """Action 0 walks a cell on; action 1 lights a lamp, or costs 1 where all are lit. lit: lamps at first."""

    def __init__(self, lit: int = 0) -> None:
        self.observation_space: Any = Discrete((LENGTH + 1) * (LAMPS + 1))
        self.action_space: Any = Discrete(2)
        self.first_lit = lit
        self.lit = lit
        self.agent_cell = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.lit = self.first_lit
        self.agent_cell = 0
        return self._get_obs(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        cost = 1 + LAMPS - self.lit
        if action == LIGHT:
            cost = LENGTH + self.lit + 1 if self.lit < LAMPS else 1
            self.lit = min(self.lit + 1, LAMPS)
        else:
            self.agent_cell += 1
        return self._get_obs(), float(-cost), self.agent_cell == LENGTH, False, {}

    def _get_obs(self) -> Any:
        return np.int64(self.agent_cell * (LAMPS + 1) + self.lit)


@cache
def best_return(lit: int) -> float:
    """Return the exact optimum of one who begins with so many lamps lit and does not care."""
    import caregrid

    return caregrid.problem(caregrid.wrap(Hall(lit))).solve(care=0.0).own


@cache
def exact_problem() -> Any:
    """Return the problem of one who does, solved exactly where it is asked."""
    import caregrid

    return caregrid.problem(caregrid.wrap(Hall))
