"""How far a coefficient can go before a loop pays for ever, in undiscounted deterministic tables.

own + c * auxiliary has a finite optimum as long as no loop within reach pays: own(loop) + c * auxiliary(loop) <= 0. The
limit on each side is found from outside: as long as some loop pays, c moves to where that loop breaks even.
Reference: W. Dinkelbach, "On nonlinear fractional programming", 1967 (Newton's method for ratios; here of loops).
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
from engine.planning.dynamic_programming import Policy, never_pays_on_the_way

FARTHEST = 1e12
NEGLIGIBLE = 1e-9


class Limit(NamedTuple):
    """Beyond `coefficient` (infinite where there is no limit) a loop pays; `policy` int32[S] walks there and stays."""

    coefficient: float
    policy: Policy | None = None


def limit(own: TabularMDP, auxiliary: Floats, start: int, sign: float) -> Limit:
    """The limit on one side of 0 (sign: -1.0 or 1.0); NoPlan where own itself pays for ever."""
    within = reachable_part(own, start)
    answer = Limit(sign * math.inf)
    coefficient = sign * FARTHEST
    while True:
        policy = paying_policy(within.with_reward(own.reward + coefficient * auxiliary))
        if policy is None:
            return answer
        mine, theirs = (_around_the_loop(within, reward, policy, start) for reward in (own.reward, auxiliary))
        if theirs == 0.0 or mine > 0.0:
            raise NoPlan("a loop pays for ever at any coefficient", place="own reward", remedy="make loops cost")
        even = -mine / theirs
        if abs(even) > (1.0 - NEGLIGIBLE) * abs(coefficient):  # the loop pays by rounding alone
            return answer
        coefficient, answer = even, Limit(even, policy)


def paying_policy(mdp: TabularMDP) -> Policy | None:
    """A policy int32[S] that leads into a loop that pays in all, from wherever one can; None where there is none.

    Bellman and Ford's algorithm: walks that pay grow until they are as good as they get, or bite their own tails.
    """
    if never_pays_on_the_way(mdp):
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
        endless = np.isposinf(worth)
        if endless.any():
            return _leading_to(mdp, int(endless.argmax()), policy, endless)


def _leading_to(mdp: TabularMDP, goal: int, policy: Policy, kept: Booleans) -> Policy:
    """The policy, and a shortest way to the goal wherever the policy is not kept."""
    target = mdp.next_state[:, :, 0]
    steps = Reachability(mdp).steps_to(goal)[target]
    return np.where(kept, policy, np.where(steps < 0, len(target), steps).argmin(axis=1)).astype(np.int32)


def _around_the_loop(mdp: TabularMDP, reward: Floats, policy: Policy, start: int) -> float:
    """What one round of the loop that a policy enters pays; reward: f64[S, A, K]."""
    seen: dict[int, float] = {}
    state, total = start, 0.0
    while state not in seen:
        seen[state] = total
        total += float(reward[state, policy[state], 0])
        state = int(mdp.next_state[state, policy[state], 0])
    return total - seen[state]


def reachable_part(mdp: TabularMDP, start: int) -> TabularMDP:
    """A deterministic table in which what cannot be walked to from the start is terminal."""
    n, actions = mdp.next_state.shape[:2]
    origin = np.repeat(np.arange(n), actions)
    steps = sparse.csr_matrix((np.ones(n * actions, dtype=np.int8), (origin, mdp.next_state.ravel())), shape=(n, n))
    beyond = np.ones(n, dtype=np.bool_)
    beyond[csgraph.breadth_first_order(steps, start, return_predecessors=False)] = False
    return replace(mdp, terminal=mdp.terminal | beyond)
