"""Exact plans for undiscounted deterministic tables without positive steps, by Dijkstra's algorithm in O(S A log S).

    V(s) = max over paths from s of the sum of their rewards

Steps into terminal states may have any reward (a bonus for ending there). A path may also enter a cycle of reward 0 and
stay for ever: its return is then what it collected until it got there. Ties of the value are broken by a second
reward, collected on the step into a terminal state, and then by the lowest action that makes progress.

`reward_to_go` goes backward from the terminal states (a value for every state), `reward_to_arrive` forward from one
start (the best return with which every state can be entered). Reference: D. Bertsekas, "Dynamic Programming and
Optimal Control", volume 1, chapter 2 (there cost-to-go and cost-to-arrive). Both stay hand-written kernels: scipy's
Dijkstra knows neither the second reward nor steps into terminal states of positive reward, nor the order of arrival.
"""

from __future__ import annotations

import heapq

import numba
import numpy as np

from engine.mdp.reachability import predecessors

_NEVER = -np.inf


@numba.njit(cache=True)
def reward_to_go(next_state, reward, second, terminal, zero_cost):  # type: ignore[no-untyped-def]
    """Best (return, second) to collect from every state, and the order in which states were settled.

    next_state int32[S, A], reward and second f64[S, A] (second only on steps into terminal states), terminal bool[S],
    zero_cost bool[S]: states of zero-cost cycles. Returns value f64[S], second value f64[S], order int64[S] (-1 where
    no path leads to a terminal state or such a cycle: value -inf).
    """
    n, actions = next_state.shape
    offset, origin, by = predecessors(next_state, terminal)
    value = np.full(n, _NEVER)
    extra = np.full(n, _NEVER)
    order = np.full(n, -1, dtype=np.int64)
    heap = [(0.0, 0.0, np.int64(0)) for _ in range(0)]
    for s in range(n):
        state = np.int64(s)
        if terminal[state]:
            value[state], extra[state], order[state] = 0.0, 0.0, 0
            continue
        if zero_cost[state]:
            value[state], extra[state] = 0.0, 0.0
        for action in range(actions):
            if terminal[next_state[state, action]]:
                pair = (reward[state, action], second[state, action])
                if pair > (value[state], extra[state]):
                    value[state], extra[state] = pair
        if value[state] > _NEVER:
            heapq.heappush(heap, (-value[state], -extra[state], state))
    settled = 0
    while len(heap) > 0:
        _, _, state = heapq.heappop(heap)
        if order[state] >= 0:
            continue
        settled += 1
        order[state] = settled
        for edge in range(offset[state], offset[state + 1]):
            before = origin[edge]
            if order[before] >= 0:
                continue
            pair = (value[state] + reward[before, by[edge]], extra[state])
            if pair > (value[before], extra[before]):
                value[before], extra[before] = pair
                heapq.heappush(heap, (-pair[0], -pair[1], np.int64(before)))
    return value, extra, order


@numba.njit(cache=True)
def reward_to_arrive(next_state, reward, terminal, start):  # type: ignore[no-untyped-def]
    """Best return with which every state can be entered from `start` (-inf where it cannot): f64[S], order int64[S]."""
    n, actions = next_state.shape
    best = np.full(n, _NEVER)
    order = np.full(n, -1, dtype=np.int64)
    heap = [(0.0, np.int64(start))]
    best[start] = 0.0
    settled = 0
    while len(heap) > 0:
        _, state = heapq.heappop(heap)
        if order[state] >= 0:
            continue
        settled += 1
        order[state] = settled
        if terminal[state]:
            continue
        for action in range(actions):
            target = next_state[state, action]
            new = best[state] + reward[state, action]
            if new > best[target]:
                best[target] = new
                if order[target] < 0:
                    heapq.heappush(heap, (-new, np.int64(target)))
    return best, order
