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

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.mdp.mdp import Booleans, Floats, Integers, TabularMDP
from engine.mdp.reachability import find_zero_cost_cycle_states, list_predecessors

_NEVER = -np.inf


def has_no_positive_step(mdp: TabularMDP) -> bool:
    """Return whether no step between non-terminal states has a positive reward."""
    costs = mdp.reward <= 0.0
    if costs.all():
        return True
    between = (mdp.probability > 0) & ~mdp.terminal[:, None, None] & ~mdp.terminal[mdp.next_state]
    return bool(costs.all(where=between))


def best_to_go(mdp: TabularMDP, second: Floats | None = None) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """What `reward_to_go` finds in a table. second: f64[S, A, K], 0 by default."""
    reward = mdp.reward[:, :, 0]
    tie = np.zeros_like(reward) if second is None else second[:, :, 0]
    return reward_to_go(mdp.next_state[:, :, 0], reward, tie, mdp.terminal, find_zero_cost_cycle_states(mdp))


def reward_to_go(
    next_state: Integers, reward: Floats, second: Floats, terminal: Booleans, zero_cost: Booleans
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Best (return, second) to collect from every state, and the order in which states were settled.

    next_state int32[S, A], reward and second f64[S, A] (second only on steps into terminal states), terminal bool[S],
    zero_cost bool[S]: states of zero-cost cycles. Returns value f64[S], second value f64[S], order int64[S] (-1 where
    no path leads to a terminal state or such a cycle: value -inf).
    """
    value, extra = np.full((2, len(terminal)), _NEVER)
    order = np.full(len(terminal), -1, dtype=np.int64)
    steps = list_predecessors(next_state, terminal)
    settle_backward(*steps, next_state, reward, second, terminal, zero_cost, value, extra, order)
    return value, extra, order


@kernel(fills=3)
def settle_backward(  # type: ignore[no-untyped-def]
    offset, origin, by, next_state, reward, second, terminal, zero_cost, value, extra, order
):
    """What `reward_to_go` returns, -inf and -1 before. offset, origin, by: as `list_predecessors` lists steps."""
    heap = [(0.0, 0.0, 0) for _ in range(0)]
    for state in range(len(terminal)):
        if terminal[state]:
            value[state], extra[state], order[state] = 0.0, 0.0, 0
            continue
        if zero_cost[state]:
            value[state], extra[state] = 0.0, 0.0
        for action, target in enumerate(next_state[state]):
            if terminal[target]:
                pair = (reward[state][action], second[state][action])
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
        here, there = value[state], extra[state]
        for edge in range(offset[state], offset[state + 1]):
            before = origin[edge] + 0  # int64, as on the heap
            if order[before] >= 0:
                continue
            pair = (here + reward[before][by[edge]], there)
            if pair > (value[before], extra[before]):
                value[before], extra[before] = pair
                heapq.heappush(heap, (-pair[0], -pair[1], before))


def reward_to_arrive(
    next_state: Integers, reward: Floats, terminal: Booleans, start: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Best return with which every state can be entered from `start` (-inf where it cannot): f64[S], order int64[S].

    next_state int32[S, A], reward f64[S, A], terminal bool[S].
    """
    best = np.full(len(terminal), _NEVER)
    order = np.full(len(terminal), -1, dtype=np.int64)
    settle_forward(next_state, reward, terminal, start, best, order)
    return best, order


@kernel(fills=2)
def settle_forward(next_state, reward, terminal, start, best, order):  # type: ignore[no-untyped-def]
    """What `reward_to_arrive` returns, -inf and -1 before."""
    heap = [(0.0, start + 0)]
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
        here = best[state]
        for action, target in enumerate(next_state[state]):
            new = here + reward[state][action]
            if new > best[target]:
                best[target] = new
                if order[target] < 0:
                    heapq.heappush(heap, (-new, target + 0))
