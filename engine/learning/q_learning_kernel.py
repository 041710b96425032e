"""The compiled loops of tabular Q-learning in deterministic tables; `engine.learning.q_learning` calls them.

`learn` is the published rule. `learn_remembering` repeats remembered steps after every real one, but for those that led
back to their own state at a cost: where nothing is discounted such a step is never best, which `NEVER` says. At a
learning rate of 1 a remembered step teaches nothing while no update waits, since its value already is what the next
state promises, but for moves too small to repeat (`SETTLED`). Which action is explored is decided without a branch, and
so is whether a value rises, since nobody can foretell either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compiling.kernel import kernel
from engine.learning.step_memory import AGE, END, EPISODE, FIRST, NEWEST, STATE, STEP, UNSEEN, WAITING
from engine.randomness.compiled import bits_1, inverse_cdf, uniform_2

SETTLED, NEVER = 1e-9, -1e300
_LOW = np.uint64(0xFFFFFFFF)
_32, _1 = np.uint64(32), np.uint64(1)


@kernel
def learn(table, episodes, rule, until, key, memory):  # type: ignore[no-untyped-def]
    """Go on learning up to step number `until`.

    table: a StepTable. episodes: start_states int64[n], their probabilities f64[n], the time limit. rule: discount,
    epsilon, learning rate. memory: `StepMemory.in_rows()`. All are plain tuples. One number a step: its high half
    decides on exploring, its low half on the action.
    """
    following, reward, choices, widths = table
    start_states, start_chances, episode_steps = episodes
    discount, epsilon, rate = rule
    q, best, greedy, _, _, _, _, _, counters = memory
    actions = np.uint64(len(q) // len(best))
    threshold = np.uint64(epsilon * 4294967296.0)
    episode, age = counters[EPISODE], counters[AGE]
    state = np.uint64(
        episode_start(start_states, start_chances, key, episode) if counters[STATE] < 0 else counters[STATE]
    )
    for step in range(counters[STEP], until):
        usual = np.uint64(greedy[state])
        action = np.uint64(_chosen(np.uint64(bits_1(key, step)), usual, threshold, state, actions, choices, widths))
        row = state * actions
        pair = row + action
        after = np.int64(following[pair])
        target = np.uint64(after ^ (after >> 63))
        old = best[state]
        new = q[pair] + rate * (reward[pair] + discount * best[target] - q[pair])
        q[pair] = new
        leads = np.uint64(new > old) | (np.uint64(new == old) & np.uint64(action <= usual))
        best[state] = new if leads else old
        greedy[state] = usual ^ ((usual ^ action) * leads)
        if np.uint64(action == usual) & np.uint64(new < old):
            best[state], greedy[state] = _first_best(q, row, actions)
        age += 1
        if (after < 0) | (age == episode_steps):
            episode += 1
            age = 0
            state = np.uint64(episode_start(start_states, start_chances, key, episode))
        else:
            state = target
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = until, episode, age, state


@kernel
def learn_remembering(  # type: ignore[no-untyped-def]
    table, episodes, rule, until, key, memory, actions, planning_steps, patience
):
    """Go on learning up to step number `until`, or until `patience` steps have shown nothing new.

    actions: A. At most `planning_steps` remembered steps are updated after every real one. The other arguments are
    those of `learn`.
    """
    following, reward, choices, widths = table
    start_states, start_chances, episode_steps = episodes
    discount, epsilon, rate = rule
    q, best, greedy, head, link, _, queue, queued, counters = memory
    ring, width = len(queue), np.uint64(actions)
    shift = np.uint64(0)
    while _1 << shift < np.uint64(len(q) // len(best)):
        shift += _1
    low = (_1 << shift) - _1
    threshold = np.uint64(epsilon * 4294967296.0)
    undiscounted, gradual = discount == 1.0, rate < 1.0
    first, waiting = counters[FIRST], counters[WAITING]
    last = first + waiting if first + waiting < ring else first + waiting - ring
    episode, age, newest = counters[EPISODE], counters[AGE], counters[NEWEST]
    state = np.uint64(
        episode_start(start_states, start_chances, key, episode) if counters[STATE] < 0 else counters[STATE]
    )
    step = counters[STEP]
    while step < until and step - newest < patience:
        held = np.uint64(greedy[state])
        action = np.uint64(_chosen(np.uint64(bits_1(key, step)), held, threshold, state, width, choices, widths))
        pair = (state << shift) | action
        after = np.int64(following[pair])
        target = np.uint64(after ^ (after >> 63))
        if waiting > 0 or gradual or link[pair] == UNSEEN:
            idle = undiscounted & (target == state) & (reward[pair] < 0.0)
            if link[pair] == UNSEEN:
                newest = step
                if idle:
                    link[pair] = END
                else:
                    link[pair] = head[target]
                    head[target] = pair
            old = best[state]
            new = NEVER if idle else q[pair] + rate * (reward[pair] + discount * best[target] - q[pair])
            q[pair] = new

            # First the state of the real step, then those in the queue: where the best value has moved, the
            # remembered steps that lead there are updated, and states whose own best value that may move join the
            # queue. The update stands here in full, since a function that takes arrays would count references at
            # every step.
            moves, moved, left = (new > old) | ((action == held) & (new < old)), state, planning_steps
            while True:
                if moves:
                    old = best[moved]
                    now, where = _first_best(q, moved << shift, width)
                    best[moved], greedy[moved] = now, where
                    entry = np.int64(head[moved]) if abs(now - old) > SETTLED else END
                    while entry >= 0:
                        pair = np.uint64(entry)
                        s = pair >> shift
                        old, held = best[s], np.uint64(greedy[s])
                        new = q[pair] + rate * (reward[pair] + discount * now - q[pair])
                        q[pair] = new
                        due = ((new > old) | (((pair & low) == held) & (new < old))) & (not queued[s])
                        queue[last] = s
                        queued[s] |= due
                        last += due
                        last = last if last < ring else 0
                        waiting += due
                        entry = np.int64(link[pair])
                        left -= 1
                if waiting == 0 or left <= 0:
                    break
                moved, moves = np.uint64(queue[first]), True
                first = first + 1 if first + 1 < ring else 0
                waiting -= 1
                queued[moved] = False

        age += 1
        if (after < 0) | (age == episode_steps):
            episode += 1
            age = 0
            state = np.uint64(episode_start(start_states, start_chances, key, episode))
        else:
            state = target
        step += 1
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = step, episode, age, state
    counters[FIRST], counters[WAITING], counters[NEWEST] = first, waiting, newest


@kernel(inline="always")
def _chosen(draw, usual, threshold, state, actions, choices, widths):  # type: ignore[no-untyped-def]
    """The action of a step, uint64: the usual one, or where one is explored each available one as likely as another."""
    if len(choices) == 0:
        tried = ((draw & _LOW) * actions) >> _32
    else:
        tried = np.uint64(choices[state, ((draw & _LOW) * widths[state]) >> _32])
    return tried if (draw >> _32) < threshold else usual


@kernel(inline="always")
def _first_best(q, row, width):  # type: ignore[no-untyped-def]
    """The largest of `width` values from `row` on and the first action that has it; two halves, side by side."""
    half = (width + _1) >> _1
    where: Any = np.uint64(0)
    top = q[row]
    other, there = q[row + width - half], width - half
    for place in range(_1, half):
        value = q[row + place]
        where = place if value > top else where
        top = max(value, top)
        value = q[row + width - half + place]
        there = width - half + place if value > other else there
        other = max(value, other)
    return (other, there) if other > top else (top, where)


@kernel
def episode_start(start_states, start_chances, key, episode):  # type: ignore[no-untyped-def]
    """The start state of an episode, by its number."""
    if len(start_states) == 1:
        return start_states[0]
    return start_states[inverse_cdf(start_chances, uniform_2(key, episode, np.int64(2)))]
