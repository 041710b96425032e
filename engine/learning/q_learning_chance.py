"""The compiled loop of tabular Q-learning in stochastic tables; `engine.learning.q_learning` calls it."""

from __future__ import annotations

import numpy as np

from engine.compiling.kernel import kernel
from engine.learning.q_learning_kernel import episode_start
from engine.learning.step_memory import AGE, EPISODE, KNOWN_AFTER, NEWEST, STATE, STEP
from engine.randomness.compiled import bits_1, inverse_cdf, uniform_2

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


@kernel
def learn_by_chance(table, episodes, rule, until, key, memory, patience):  # type: ignore[no-untyped-def]
    """Go on learning up to step number `until`, or until `patience` steps have shown nothing new.

    table: next_state, probability, reward, terminal of a TabularMDP, choices and widths as `available_choices` gives
    them. Where successors are counted, a learning rate of 1 means the average, 1 / n at the nth step. The other
    arguments are those of `engine.learning.q_learning_kernel.learn`.
    """
    next_state, probability, reward, terminal, choices, widths = table
    start_states, start_chances, episode_steps = episodes
    discount, epsilon, learning_rate = rule
    actions, successors = next_state.shape[1:]
    q, best, greedy, _, _, counts, _, _, counters = memory
    threshold = np.uint64(epsilon * 4294967296.0)
    ragged = len(choices) > 0
    width = np.uint64(actions)
    episode, age, state, newest = counters[EPISODE], counters[AGE], counters[STATE], counters[NEWEST]
    if state < 0:
        state = episode_start(start_states, start_chances, key, episode)
    step = counters[STEP]
    while step < until and step - newest < patience:
        draw = bits_1(key, step)
        if ragged:
            width = widths[state]
        tried_out = np.int64(((draw & _LOW) * width) >> _32)
        if ragged:
            tried_out = choices[state, tried_out]
        usual = np.int64(greedy[state])
        action = usual ^ ((usual ^ tried_out) & -np.int64((draw >> _32) < threshold))  # either one, without a branch
        slot = inverse_cdf(probability[state, action], uniform_2(key, step, 1))
        target = np.int64(next_state[state, action, slot])
        rate = learning_rate
        if len(counts) > 0:
            pair = (state * actions + action) * successors
            counts[pair + slot] += 1
            tried = counts[pair : pair + successors].sum()
            if tried <= KNOWN_AFTER:
                newest = step
            if learning_rate == 1.0:
                rate = 1.0 / tried
        old = best[state]
        new = q[state, action] + rate * (reward[state, action, slot] + discount * best[target] - q[state, action])
        q[state, action] = new
        leads = (new > old) | ((new == old) & (action <= usual))
        best[state] = new if leads else old
        greedy[state] = action if leads else usual
        if action == usual and not leads:
            top = q[state, 0]
            where = 0
            for other in range(1, actions):
                if q[state, other] > top:
                    top = q[state, other]
                    where = other
            best[state] = top
            greedy[state] = where
        state = target
        age += 1
        if terminal[state] or age == episode_steps:
            episode += 1
            age = 0
            state = episode_start(start_states, start_chances, key, episode)
        step += 1
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = step, episode, age, state
    counters[NEWEST] = newest
