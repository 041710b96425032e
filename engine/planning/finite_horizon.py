"""A finite horizon: optimal plans by backward induction, what a policy collects and where it is within some steps.

    V_0 = 0,   Q_k(s, a) = sum over successors of P (r + gamma V_{k-1}),   V_k(s) = max_a Q_k(s, a)
    V_0 = 0,   V_k = r_pi + gamma P_pi V_{k-1};      d_0 = start,   d_k = d_{k-1} P_pi

Ties go to the first action. Reference: M. Puterman, "Markov Decision Processes", 1994, chapter 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.dynamic_programming import TIE, Solution, action_values, find_greedy_policy, find_reward_unit


def plan_finite_horizon(mdp: TabularMDP, steps: int) -> Solution:
    """Return the optimal values and first actions with a number of steps left; with 0 steps every value is 0.

    steps: the horizon. Raises BadValue for a negative one.
    """
    _require_horizon(steps)
    value = np.zeros(len(mdp.terminal))
    action_value = np.zeros((len(value), len(mdp.actions)))
    for _ in range(steps):
        action_value = action_values(mdp, value)
        value = np.where(mdp.terminal, 0.0, action_value.max(axis=1))
    return Solution.of_available(mdp, value, action_value, find_greedy_policy(action_value, TIE, find_reward_unit(mdp)))


def plan_finite_horizon_pair(mdp: TabularMDP, second: Floats, steps: int) -> tuple[Floats, Floats]:
    """The best return with a number of steps left, f64[S], and the best second one of the policies that reach it.

    second: f64[S, A, K], another reward. With its negative the worst second return comes out, negated. Policies may
    depend on the number of steps left. steps: the horizon. Raises BadValue for a negative one.
    """
    _require_horizon(steps)
    other, unit = mdp.with_reward(second), find_reward_unit(mdp)
    value, extra = np.zeros(len(mdp.terminal)), np.zeros(len(mdp.terminal))
    for _ in range(steps):
        action_value, extra_value = action_values(mdp, value), action_values(other, extra)
        value = np.where(mdp.terminal, 0.0, action_value.max(axis=1))
        tied = action_value >= (value - TIE * np.maximum(unit, np.abs(value)))[:, None]
        extra = np.where(mdp.terminal, 0.0, np.where(tied, extra_value, -np.inf).max(axis=1))
    return value, extra


def _require_horizon(steps: int) -> None:
    if steps < 0:
        raise BadValue(f"a horizon of {steps} steps", remedy="look 0 or more steps ahead")


class Visits(NamedTuple):
    """acting: f64[S], the expected discounted number of steps taken in each state. end: f64[S], where it is at last."""

    acting: Floats
    end: Floats


def compute_limited_return(table: TabularMDP, policy: Policy, limit: int) -> Floats:
    """Return f64[S], what a policy is expected to collect in at most `limit` steps, from every state."""
    states = np.arange(len(policy))
    chance, target = table.probability[states, policy], table.next_state[states, policy]
    expected = (chance * table.reward[states, policy]).sum(axis=1)
    expected[table.terminal] = 0.0
    result = np.zeros(len(states))
    for _ in range(limit):
        longer = expected + table.discount * (chance * result[target]).sum(axis=1)
        if (longer == result).all():
            break
        result = longer
    return result


def count_visits_within(table: TabularMDP, policy: Policy, start: int, limit: int) -> Visits:
    """Return where a policy, int32[S], acts and ends in at most `limit` steps from a start state."""
    from engine.planning.policy_chain import PolicyChain  # scipy

    forward = PolicyChain(table, policy).transitions.T.tocsr()
    acting, weight = np.zeros(len(policy)), 1.0
    present = np.zeros(len(policy))
    present[start] = 1.0
    for _ in range(limit):
        moving = np.where(table.terminal, 0.0, present)
        if not moving.any():
            break
        acting += weight * moving
        present = np.where(table.terminal, present, 0.0) + forward @ moving
        weight *= table.discount
    return Visits(acting, present)


def compute_step_rewards(table: TabularMDP, policy: Policy, reward: Floats) -> Floats:
    """Return f64[S], the expected reward of a policy's next step, of a reward f64[S, A, K]; 0 in terminal states."""
    states = np.arange(len(policy))
    expected = (table.probability[states, policy] * reward[states, policy]).sum(axis=1)
    return np.asarray(np.where(table.terminal, 0.0, expected))
