"""The compiled loop of tabular Q-learning with remembered steps; `engine.learning.q_learning` explains and calls it."""

from __future__ import annotations

import numba
import numpy as np

from engine.randomness.compiled import bits_1, inverse_cdf, uniform_2

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
    start_chances,
    steps,
    episode_steps,
    epsilon,
    learning_rate,
    initial,
    planning_steps,
    key,
    available,
):
    """Q after `steps` steps: f64[S, A].

    start_states int64[n] with probabilities start_chances f64[n]; at most `planning_steps` remembered steps
    are updated after every real one. One number a step: its high half decides on exploring, its low half on the action.
    available: bool[S, A], or without rows where every action is available; the others are not explored and worth -inf.
    """
    states, actions, successors = next_state.shape
    q = np.full((states, actions), initial)
    choices, widths = _choices(available)
    ragged = len(choices) > 0
    best = np.full(states, initial)
    greedy = np.zeros(states, dtype=np.int64)
    for s in range(states):
        if terminal[s]:
            q[s, :] = 0.0
            best[s] = 0.0
        elif ragged:
            greedy[s] = choices[s, 0]
            for one in range(actions):
                if not available[s, one]:
                    q[s, one] = -np.inf
    remembered = states * actions if planning_steps > 0 else 0
    head = np.full(states, _END)  # the last remembered step into each state
    link = np.full(remembered, _UNSEEN)  # the one remembered before it
    rewards = np.zeros(remembered)
    queue = np.empty(states, dtype=np.int64)  # a ring of states whose value has moved
    queued = np.zeros(states, dtype=np.bool_)
    first, waiting = 0, 0
    threshold = np.uint64(epsilon * 4294967296.0)
    width = np.uint64(actions)

    episode, age = 0, 0
    state = _start(start_states, start_chances, key, episode)
    for step in range(steps):
        draw = bits_1(key, step)
        if (draw >> _32) < threshold:
            if ragged:
                width = widths[state]
            action = np.int64(((draw & _LOW) * width) >> _32)
            if ragged:
                action = np.int64(choices[state, action])
        else:
            action = greedy[state]
        slot = 0
        if successors > 1:
            slot = inverse_cdf(probability[state, action], uniform_2(key, step, 1))
        target = np.int64(next_state[state, action, slot])
        gained = reward[state, action, slot]
        if planning_steps > 0 and link[state * actions + action] == _UNSEEN:
            link[state * actions + action] = head[target]
            head[target] = state * actions + action
            rewards[state * actions + action] = gained

        # The real step first, then remembered ones into states whose value has moved. The update stands here once and
        # in full, since a function that takes arrays would count references at every step.
        s, a, value = state, action, gained + discount * best[target]
        entry, left = _END, planning_steps
        while True:
            old = best[s]
            new = q[s, a] + learning_rate * (value - q[s, a])
            q[s, a] = new
            if new > old or (new == old and a <= greedy[s]):
                best[s] = new
                greedy[s] = a
            elif a == greedy[s]:
                top = q[s, 0]
                where = 0
                for other in range(1, actions):
                    if q[s, other] > top:
                        top = q[s, other]
                        where = other
                best[s] = top
                greedy[s] = where
            if planning_steps == 0:
                break
            if abs(best[s] - old) > SETTLED and not queued[s]:
                queued[s] = True
                queue[(first + waiting) % states] = s
                waiting += 1
            while entry < 0 and waiting > 0 and left > 0:
                after = queue[first]
                first = (first + 1) % states
                waiting -= 1
                queued[after] = False
                entry = head[after]
            if entry < 0:
                break
            s = entry // actions
            a = entry - s * actions
            value = rewards[entry] + discount * best[after]
            entry = link[entry]
            left -= 1

        state = target
        age += 1
        if terminal[state] or age == episode_steps:
            episode += 1
            age = 0
            state = _start(start_states, start_chances, key, episode)
    return q


@numba.njit(cache=True)
def _choices(available):  # type: ignore[no-untyped-def]
    """The available actions of every state, in order from the left, int64[S, A], and how many they are, uint64[S]."""
    states, actions = available.shape
    choices = np.zeros((states, actions), dtype=np.int64)
    widths = np.zeros(states, dtype=np.uint64)
    for state in range(states):
        for action in range(actions):
            if available[state, action]:
                choices[state, np.int64(widths[state])] = action
                widths[state] += np.uint64(1)
    return choices, widths


@numba.njit(cache=True)
def _start(start_states, start_chances, key, episode):  # type: ignore[no-untyped-def]
    if len(start_states) == 1:
        return start_states[0]
    return start_states[inverse_cdf(start_chances, uniform_2(key, episode, 2))]
