"""Dijkstra's algorithm on remembered steps, in one compiled loop: what `remembered_model` finds on a table of them.

For undiscounted deterministic tables whose every step on the way costs something. The steps into a state are those of
the learner's memory, so that no table of them is made.
"""

from __future__ import annotations

import heapq
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
    heap: list[tuple[float, int]] = [(0.0, 0) for _ in range(0)]
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
            heapq.heappush(heap, (-value[state], state))
    settled = 0
    while len(heap) > 0:
        _, state = heapq.heappop(heap)
        if order[state] >= 0:
            continue
        settled += 1
        order[state] = settled
        step = np.int64(head[state])
        while step >= 0:
            before = int(step >> shift)
            if order[before] < 0 and value[state] + reward[step] > value[before]:
                value[before] = value[state] + reward[step]
                heapq.heappush(heap, (-value[before], before))
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
