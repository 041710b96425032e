"""How far a coefficient can go before a cycle has positive reward, in undiscounted deterministic tables.

own + c * auxiliary has a finite optimum as long as no cycle within reach has positive reward: own(cycle) +
c * auxiliary(cycle) <= 0. The limit on each side is found from outside: as long as some cycle is positive, c moves to
where that cycle has reward 0.
Reference: W. Dinkelbach, "On nonlinear fractional programming", 1967 (Newton's method for ratios; here of cycles).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.reachability import Reachability
from engine.planning import kernels
from engine.planning.dynamic_programming import Policy, has_no_positive_step

FARTHEST = 1e12
NEGLIGIBLE = 1e-9


class Limit(NamedTuple):
    """Beyond `coefficient` (infinite: no limit) a cycle has positive reward; `policy` int32[S] enters it and stays."""

    coefficient: float
    policy: Policy | None = None


def limit(own: TabularMDP, auxiliary: Floats, start: int, sign: float) -> Limit:
    """The limit on one side of 0 (sign: -1.0 or 1.0); NoPlan where a cycle of the own reward is positive."""
    within = reachable_part(own, start)
    outermost = Limit(sign * math.inf)
    coefficient = sign * FARTHEST
    while True:
        policy = positive_cycle_policy(within.with_reward(own.reward + coefficient * auxiliary))
        if policy is None:
            return outermost
        own_sum, auxiliary_sum = (_cycle_reward(within, reward, policy, start) for reward in (own.reward, auxiliary))
        if auxiliary_sum == 0.0 or own_sum > 0.0:
            raise NoPlan(
                "a cycle has positive reward at any coefficient",
                place="own reward",
                remedy="make cycles cost something",
            )
        even = -own_sum / auxiliary_sum
        if abs(even) > (1.0 - NEGLIGIBLE) * abs(coefficient):  # positive by rounding alone
            return outermost
        coefficient, outermost = even, Limit(even, policy)


def positive_cycle_policy(mdp: TabularMDP) -> Policy | None:
    """A policy int32[S] that leads into a cycle of positive reward, from wherever one can; None where there is none.

    Bellman and Ford's algorithm: paths of positive reward grow until none grows better, or one closes a cycle.
    """
    if has_no_positive_step(mdp):
        return None
    target, reward = mdp.next_state[:, :, 0], mdp.reward[:, :, 0]
    states = np.arange(len(mdp.terminal))
    value, policy = np.zeros(len(states)), np.full(len(states), -1, dtype=np.int32)
    while True:
        longer = reward + value[target]
        action = longer.argmax(axis=1)
        best = longer[states, action]
        better = (best - value > NEGLIGIBLE * np.maximum(1.0, np.abs(value))) & ~mdp.terminal
        if not better.any():
            return None
        value, policy = np.where(better, best, value), np.where(better, action, policy).astype(np.int32)
        stopped, chosen = mdp.terminal | (policy < 0), np.maximum(policy, 0)
        worth = kernels.evaluate_deterministic(target[states, chosen], reward[states, chosen], stopped, 1.0)
        cyclic = np.isposinf(worth)
        if cyclic.any():
            return _leading_to(mdp, int(cyclic.argmax()), policy, cyclic)


def _leading_to(mdp: TabularMDP, goal: int, policy: Policy, kept: Booleans) -> Policy:
    """The policy, and a shortest way to the goal wherever the policy is not kept."""
    target = mdp.next_state[:, :, 0]
    steps = Reachability(mdp).steps_to(goal)[target]
    return np.where(kept, policy, np.where(steps < 0, len(target), steps).argmin(axis=1)).astype(np.int32)


def _cycle_reward(mdp: TabularMDP, reward: Floats, policy: Policy, start: int) -> float:
    """The reward of the cycle that a policy enters from the start; reward: f64[S, A, K]."""
    seen: dict[int, float] = {}
    state, total = start, 0.0
    while state not in seen:
        seen[state] = total
        total += float(reward[state, policy[state], 0])
        state = int(mdp.next_state[state, policy[state], 0])
    return total - seen[state]


def reachable_part(mdp: TabularMDP, start: int) -> TabularMDP:
    """A deterministic table in which the states that cannot be reached from the start are terminal."""
    n, actions = mdp.next_state.shape[:2]
    origin = np.repeat(np.arange(n), actions)
    steps = sparse.csr_matrix((np.ones(n * actions, dtype=np.int8), (origin, mdp.next_state.ravel())), shape=(n, n))
    beyond = np.ones(n, dtype=np.bool_)
    beyond[csgraph.breadth_first_order(steps, start, return_predecessors=False)] = False
    return replace(mdp, terminal=mdp.terminal | beyond)
