"""g_c, the balancing agent that protects its successor function: f_c with a penalty where that one has little to gain.

    R_t = I_t(X_t, X_{t+1}) + g(X_t) while the first function is in force      g = -1000 where V_S(x) < 1/2, else 0

V_S is the value of the update's function from x on, the least one where there are several; the penalty is part of V_N
too. Both numbers are in the world's `reward_scale`. Reference: K. Holtman, "Corrigibility with Utility Preservation"
(2019): f_c does not mind losing what only its successor function needs; this agent does.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from counterfactual.agents._balance import FixedSignalValues, StateBonus, balanced_world, new_function_values
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import Bonus, PlanningWorld
from counterfactual.terminal_world import FIRST, TerminalWorld

FLOOR, PENALTY = Fraction(1, 2), Fraction(1000)


@PlanningAgent.depending_on(reward=("I", "X", "X'", "I'"))
def gc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The balanced factual planning world with the penalty."""
    return balanced_world(learned, floor_penalty)


def floor_penalty(learned: TerminalWorld[Any]) -> StateBonus:
    """(step, x) -> minus the penalty where some later function has less than the floor to gain."""
    others = [signal for signal in range(len(learned.signals)) if signal != FIRST]
    values = [new_function_values(learned, signal) for signal in others]
    return partial(_penalties, values, learned.reward_scale)


def _penalties(values: list[FixedSignalValues], scale: Fraction, step: int, x: Any) -> Bonus:
    floor = FLOOR * scale
    low = np.zeros(len(x[0]), dtype=bool)
    for of_signal in values:
        floats, exact = of_signal.at(step, x)
        below = floats < float(floor)
        for row in np.flatnonzero(np.isclose(floats, float(floor), rtol=1e-6, atol=0)):
            below[row] = exact(int(row)) < floor
        low |= below
    return Bonus(np.where(low, -float(PENALTY * scale), 0.0), lambda row: -PENALTY * scale if low[row] else Fraction(0))
