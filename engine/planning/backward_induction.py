"""Planning with a given number of steps left, by backward induction.

    V_0 = 0,   Q_k(s, a) = sum over successors of P (r + gamma V_{k-1}),   V_k(s) = max_a Q_k(s, a)

Reference: M. Puterman, "Markov Decision Processes", chapter 4. Ties go to the first action.
"""

from __future__ import annotations

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import TIE, Solution, action_values, reward_unit
from engine.planning.improvement import greedy


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
    return Solution.of_available(mdp, value, action_value, greedy(action_value, TIE, reward_unit(mdp)))


def finite_horizon_pair(mdp: TabularMDP, second: Floats, steps: int) -> tuple[Floats, Floats]:
    """The best return with a number of steps left, f64[S], and the best second one of the policies that reach it.

    second: f64[S, A, K], another reward. With its negative the worst second return comes out, negated. Policies may
    depend on the number of steps left. steps: the horizon. Raises BadValue for a negative one.
    """
    if steps < 0:
        raise BadValue(f"a horizon of {steps} steps", place="finite_horizon_pair", remedy="look 0 or more steps ahead")
    other, unit = mdp.with_reward(second), reward_unit(mdp)
    value, extra = np.zeros(len(mdp.terminal)), np.zeros(len(mdp.terminal))
    for _ in range(steps):
        action_value, extra_value = action_values(mdp, value), action_values(other, extra)
        value = np.where(mdp.terminal, 0.0, action_value.max(axis=1))
        tied = action_value >= (value - TIE * np.maximum(unit, np.abs(value)))[:, None]
        extra = np.where(mdp.terminal, 0.0, np.where(tied, extra_value, -np.inf).max(axis=1))
    return value, extra
