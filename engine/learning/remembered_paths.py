"""Dijkstra's algorithm on remembered steps, in one compiled loop: what `remembered_model` finds on a table of them.

For undiscounted deterministic tables whose every step on the way costs something. The steps into a state are those of
the learner's memory, so that no table of them is made.
"""

from __future__ import annotations

import math

import numpy as np

from engine.compiling.kernel import kernel
from engine.learning.step_memory import UNSEEN


@kernel
def settle_remembered(  # type: ignore[no-untyped-def]
    table, terminal, available, memory, initial, value, order, action_value, policy
):
    """Fill in the best values f64[S], the order int64[S] in which they settle, Q f64[S, A] and the policy int32[S].

    table: a StepTable, memory: a StepMemory, as plain tuples. terminal: bool[S]. available: bool[S, A]. initial: what
    an action is worth that was not tried. value holds -inf and order -1 before.
    """
    following, reward, _, _ = table
    _, _, _, head, link, _, _, _, _ = memory
    states, actions = action_value.shape
    width = len(link) // states
    shift = 0
    while 1 << shift < width:
        shift += 1
    heap, place, waiting = np.empty(states, dtype=np.int64), np.empty(states, dtype=np.int64), np.int64(0)
    for state in range(states):
        if terminal[state]:
            value[state], order[state] = 0.0, 0
            continue
        for action in range(actions):
            pair = state << shift | action
            if link[pair] == UNSEEN:
                if available[state, action] and initial > value[state]:
                    value[state] = initial
            elif following[pair] < 0 and reward[pair] > value[state]:
                value[state] = reward[pair]
        if value[state] > -math.inf:
            _rise(state, waiting, value, heap, place)
            waiting += 1
    settled = 0
    while waiting > 0:
        state = heap[0]
        settled += 1
        order[state] = settled
        waiting -= 1
        hole, child = 0, 1
        while child < waiting:
            other, next_one = heap[child], heap[child + (child + 1 < waiting)]
            if value[next_one] > value[other] or (value[next_one] == value[other] and next_one < other):
                child, other = child + 1, next_one
            heap[hole], place[other] = other, hole
            hole, child = child, 2 * child + 1
        _rise(heap[waiting], hole, value, heap, place)
        step = np.int64(head[state])
        while step >= 0:
            before = int(step >> shift)
            if order[before] < 0 and value[state] + reward[step] > value[before]:
                is_new = value[before] == -math.inf
                value[before] = value[state] + reward[step]
                _rise(before, waiting if is_new else place[before], value, heap, place)
                waiting += is_new
            step = np.int64(link[step])
    for state in range(states):
        policy[state] = -1
        for action in range(actions):
            if not available[state, action]:
                action_value[state, action] = -math.inf
                continue
            pair = state << shift | action
            after = np.int64(following[pair])
            target = after ^ (after >> 63)
            seen = link[pair] != UNSEEN
            found = reward[pair] + value[target] if seen else initial + 0.0
            action_value[state, action] = 0.0 if terminal[state] else found
            nearer = after < 0 or not seen or order[target] < order[state]
            if policy[state] < 0 and found == value[state] and nearer and found > -math.inf and not terminal[state]:
                policy[state] = action
        if policy[state] < 0:
            policy[state] = 0


@kernel
def _rise(state, at, value, heap, place):  # type: ignore[no-untyped-def]
    """Move a state up in a heap, from place `at`, past those of a lower value, or of the same and a higher number.

    heap: int64[S], states; place: int64[S], where in it each of them is. numba's own heap takes longer to compile.
    """
    while at > 0:
        parent = (at - 1) >> 1
        other = heap[parent]
        if value[other] > value[state] or (value[other] == value[state] and other < state):
            break
        heap[at], place[other] = other, at
        at = parent
    heap[at], place[state] = state, at


@kernel
def take_over(found, only_lower, action_value, value, greedy):  # type: ignore[no-untyped-def]
    """Take over the finite ones of found action values f64[S, A]; with `only_lower`, none above those that are held.

    action_value f64[S, W], value f64[S] and greedy uint[S] are those of a StepMemory.
    """
    states, actions = found.shape
    for state in range(states):
        top, where = -math.inf, 0
        for action in range(actions):
            new, held = found[state, action], action_value[state, action]
            if math.isfinite(new) and (new < held or not only_lower):
                action_value[state, action] = held = new
            if held > top:
                top, where = held, action
        value[state], greedy[state] = top, where
