"""The compiled loop of tabular Q-learning with remembered steps; `engine.table_learning` explains and calls it."""

from __future__ import annotations

import numba
import numpy as np

from engine.compiled_randomness import bits_1, uniform_2

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_UNSEEN, _END = np.int64(-2), np.int64(-1)
SETTLED = 1e-9


@numba.njit(cache=True)
def learn(  # type: ignore[no-untyped-def]
    next_state,
    probability,
    reward,
    terminal,
    discount,
    start_states,
    start_bounds,
    steps,
    episode_steps,
    exploration,
    learning_rate,
    initial,
    replays,
    key,
):
    """Q after `steps` steps: f64[S, A].

    start_states int64[n] with cumulative probabilities start_bounds f64[n]; at most `replays` remembered steps are
    lived again after every real one. One draw a step: its high half decides on exploring, its low half on the action.
    """
    states, actions, successors = next_state.shape
    q = np.full((states, actions), initial)
    best = np.full(states, initial)
    greedy = np.zeros(states, dtype=np.int64)
    for s in range(states):
        if terminal[s]:
            q[s, :] = 0.0
            best[s] = 0.0
    head = np.full(states, _END)
    link = np.full(states * actions, _UNSEEN)
    paid = np.zeros(states * actions)
    queue = np.empty(states, dtype=np.int64)
    queued = np.zeros(states, dtype=np.bool_)
    first, waiting = 0, 0
    threshold = np.uint64(exploration * 4294967296.0)
    width = np.uint64(actions)

    episode, age = 0, 0
    state = _start(start_states, start_bounds, key, episode)
    for step in range(steps):
        draw = bits_1(key, step)
        if (draw >> _32) < threshold:
            action = np.int64(((draw & _LOW) * width) >> _32)
        else:
            action = greedy[state]
        slot = 0
        if successors > 1:
            slot = _successor(probability, state, action, uniform_2(key, step, 1))
        target = np.int64(next_state[state, action, slot])
        pay = reward[state, action, slot]

        change = _update(q, best, greedy, state, action, pay + discount * best[target], learning_rate)
        if replays > 0:
            entry = state * actions + action
            if link[entry] == _UNSEEN:
                link[entry] = head[target]
                head[target] = entry
                paid[entry] = pay
            if change > SETTLED and not queued[state]:
                queued[state] = True
                queue[(first + waiting) % states] = state
                waiting += 1
            left = replays
            while waiting > 0 and left > 0:
                after = queue[first]
                first = (first + 1) % states
                waiting -= 1
                queued[after] = False
                entry = head[after]
                while entry >= 0:
                    before = entry // actions
                    value = paid[entry] + discount * best[after]
                    change = _update(q, best, greedy, before, entry - before * actions, value, learning_rate)
                    left -= 1
                    if change > SETTLED and not queued[before]:
                        queued[before] = True
                        queue[(first + waiting) % states] = before
                        waiting += 1
                    entry = link[entry]

        state = target
        age += 1
        if terminal[state] or age == episode_steps:
            episode += 1
            age = 0
            state = _start(start_states, start_bounds, key, episode)
    return q


@numba.njit(cache=True)
def _update(q, best, greedy, state, action, value, learning_rate):  # type: ignore[no-untyped-def]
    """Move Q(state, action) towards a value, keep max and argmax (the first) current; returns how far max moved."""
    new = q[state, action] + learning_rate * (value - q[state, action])
    q[state, action] = new
    old = best[state]
    if new > old or (new == old and action <= greedy[state]):
        best[state] = new
        greedy[state] = action
    elif action == greedy[state]:
        top, where = q[state, 0], 0
        for a in range(1, q.shape[1]):
            if q[state, a] > top:
                top, where = q[state, a], a
        best[state] = top
        greedy[state] = where
    return abs(best[state] - old)


@numba.njit(cache=True)
def _start(start_states, start_bounds, key, episode):  # type: ignore[no-untyped-def]
    if len(start_states) == 1:
        return start_states[0]
    number = uniform_2(key, episode, 2)
    for i in range(len(start_states)):
        if number < start_bounds[i]:
            return start_states[i]
    return start_states[-1]


@numba.njit(cache=True)
def _successor(probability, state, action, number):  # type: ignore[no-untyped-def]
    total, last = 0.0, 0
    for slot in range(probability.shape[2]):
        if probability[state, action, slot] > 0.0:
            last = slot
            total += probability[state, action, slot]
            if number < total:
                return slot
    return last
