"""What a policy collects, and where it is, within a number of steps.

    V_0 = 0,   V_k = r_pi + gamma P_pi V_{k-1};      d_0 = start,   d_k = d_{k-1} P_pi

Reference: M. Puterman, "Markov Decision Processes", 1994, chapter 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Floats, Policy, TabularMDP


class Visits(NamedTuple):
    """acting: f64[S], the expected discounted number of steps taken in each state. end: f64[S], where it is at last."""

    acting: Floats
    end: Floats


def limited_return(table: TabularMDP, policy: Policy, limit: int) -> Floats:
    """f64[S]: what a policy is expected to collect in at most `limit` steps, from every state."""
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


def visits_within(table: TabularMDP, policy: Policy, start: int, limit: int) -> Visits:
    """Where a policy, int32[S], acts and ends in at most `limit` steps from a start state."""
    from engine.planning.chains.policy_chain import PolicyChain  # scipy

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


def step_rewards(table: TabularMDP, policy: Policy, reward: Floats) -> Floats:
    """f64[S]: the expected reward of a policy's next step, of a reward f64[S, A, K]; 0 in terminal states."""
    states = np.arange(len(policy))
    expected = (table.probability[states, policy] * reward[states, policy]).sum(axis=1)
    return np.asarray(np.where(table.terminal, 0.0, expected))
