"""Planning with a given number of steps left, by backward induction.

    V_0 = 0,   Q_k(s, a) = sum over successors of P (r + gamma V_{k-1}),   V_k(s) = max_a Q_k(s, a)

Reference: M. Puterman, "Markov Decision Processes", chapter 4. Ties go to the first action.
"""

from __future__ import annotations

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.planning import kernels
from engine.planning.dynamic_programming import TIE, Solution, action_values, reward_unit


def finite_horizon(mdp: TabularMDP, steps: int) -> Solution:
    """The optimal values and first actions with a number of steps left; with 0 steps every value is 0.

    steps: the horizon. Raises BadValue for a negative one.
    """
    if steps < 0:
        raise BadValue(f"a horizon of {steps} steps", place="finite_horizon", remedy="look 0 or more steps ahead")
    value = np.zeros(len(mdp.terminal))
    action_value = np.zeros((len(value), len(mdp.actions)))
    for _ in range(steps):
        action_value = action_values(mdp, value)
        value = np.where(mdp.terminal, 0.0, action_value.max(axis=1))
    return Solution.of_available(mdp, value, action_value, kernels.greedy(action_value, TIE, reward_unit(mdp)))
