"""The compiled loop of tabular Q-learning with remembered steps; `engine.learning.q_learning` explains and calls it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.randomness.compiled import bits_1, inverse_cdf, uniform_2

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
UNSEEN, _END = np.int64(-2), np.int64(-1)
SETTLED = 1e-9
KNOWN_AFTER = 30
_MOST_SHORT = 1 << 31
STEP, EPISODE, AGE, STATE, FIRST, WAITING, NEWEST = range(7)


class StepMemory(NamedTuple):
    """All that a learner keeps between two calls of `learn`.

    action_value: Q, f64[S, A]. value, greedy: max_a Q and its first action, f64[S] and int64[S]. last: int64[S], the
    last remembered step into each state; link: int[S 2^n], the one remembered before it (a step is numbered
    state * 2^n + action, with the least n that A fits; empty where nothing is remembered). counts: int64[S A K], how
    often each successor of a stochastic table came, or empty. queue, queued: a ring of states whose value has moved.
    counters: int64[7], STEP to NEWEST; NEWEST is when a step was last seen for the first time.
    """

    action_value: Floats
    value: Floats
    greedy: NDArray[np.int64]
    last: NDArray[np.int64]
    link: NDArray[np.signedinteger[Any]]
    counts: NDArray[np.int64]
    queue: NDArray[np.int64]
    queued: NDArray[np.bool_]
    counters: NDArray[np.int64]


def fresh_memory(mdp: TabularMDP, initial: float, remembers: bool) -> StepMemory:
    """The memory of a learner that has seen nothing.

    Action values are `initial`, 0 in terminal states, -inf where an action is not available.
    """
    terminal, actions = mdp.terminal, len(mdp.actions)
    states = len(terminal)
    value = np.where(terminal, 0.0, initial)
    counters = np.zeros(NEWEST + 1, dtype=np.int64)
    counters[STATE] = _END
    pairs = states << _shift(actions) if remembers and mdp.is_deterministic else 0
    action_value = np.repeat(value[:, None], actions, axis=1)
    if mdp.available is not None:
        action_value[~mdp.available] = -np.inf
    return StepMemory(
        action_value,
        value,
        action_value.argmax(axis=1),
        np.full(states, _END),
        np.full(pairs, UNSEEN, dtype=np.int32 if pairs < _MOST_SHORT else np.int64),
        np.zeros(mdp.next_state.size if remembers and not mdp.is_deterministic else 0, dtype=np.int64),
        np.zeros(states, dtype=np.int64),
        np.zeros(states, dtype=np.bool_),
        counters,
    )


def seen_steps(memory: StepMemory, shape: tuple[int, int]) -> Booleans:
    """bool[S, A]: the steps that a learner of a deterministic table has seen. shape: S and A."""
    states, actions = shape
    seen: Booleans = memory.link.reshape(states, -1)[:, :actions] != UNSEEN
    return seen


def _shift(actions: int) -> int:
    return (actions - 1).bit_length()


def available_choices(mdp: TabularMDP) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The available actions of every state, in order from the left, int64[S, A], and how many they are, uint64[S].

    Both are without rows where every action is available everywhere.
    """
    if mdp.available is None:
        return np.zeros((0, len(mdp.actions)), dtype=np.int64), np.zeros(0, dtype=np.uint64)
    return np.argsort(~mdp.available, axis=1, kind="stable"), mdp.available.sum(axis=1).astype(np.uint64)


@kernel
def learn(  # type: ignore[no-untyped-def]
    next_state,
    probability,
    reward,
    terminal,
    discount,
    start_states,
    start_chances,
    until,
    episode_steps,
    epsilon,
    learning_rate,
    planning_steps,
    patience,
    key,
    choices,
    widths,
    memory,
):
    """Go on learning up to step number `until`, or until `patience` steps have shown nothing new.

    start_states int64[n] with probabilities start_chances f64[n]; at most `planning_steps` remembered steps
    are updated after every real one. One number a step: its high half decides on exploring, its low half on the action.
    Where successors are counted, a learning rate of 1 means the average, 1 / n at the nth step. choices, widths: as
    `available_choices` gives them. memory: a StepMemory as a plain tuple.
    """
    states, actions, successors = next_state.shape
    q, best, greedy, head, link, counts, queue, queued, counters = memory
    threshold = np.uint64(epsilon * 4294967296.0)
    ragged = len(choices) > 0
    shift = 0
    while 1 << shift < actions:
        shift += 1
    low = (1 << shift) - 1
    width = np.uint64(actions)
    first, waiting = counters[FIRST], counters[WAITING]
    episode, age, state, newest = counters[EPISODE], counters[AGE], counters[STATE], counters[NEWEST]
    if state < 0:
        state = _start(start_states, start_chances, key, episode)
    step = counters[STEP]
    while step < until and step - newest < patience:
        draw = bits_1(key, step)
        if ragged:
            width = widths[state]
        tried_out = np.int64(((draw & _LOW) * width) >> _32)
        if ragged:
            tried_out = choices[state, tried_out]
        usual = greedy[state]
        action = usual ^ ((usual ^ tried_out) & -np.int64((draw >> _32) < threshold))  # either one, without a branch
        slot = 0
        if successors > 1:
            slot = inverse_cdf(probability[state, action], uniform_2(key, step, 1))
        target = np.int64(next_state[state, action, slot])
        gained = reward[state, action, slot]
        rate = learning_rate
        if len(counts) > 0:
            pair = (state * actions + action) * successors
            counts[pair + slot] += 1
            tried = counts[pair : pair + successors].sum()
            if tried <= KNOWN_AFTER:
                newest = step
            if learning_rate == 1.0:
                rate = 1.0 / tried
        if planning_steps > 0 and link[state << shift | action] == UNSEEN:
            link[state << shift | action] = head[target]
            head[target] = state << shift | action
            newest = step

        # The real step first, then remembered ones into states whose value has moved. The update stands here once and
        # in full, since a function that takes arrays would count references at every step.
        s, a, value = state, action, gained + discount * best[target]
        entry, left = _END, planning_steps
        while True:
            old, held = best[s], greedy[s]
            new = q[s, a] + rate * (value - q[s, a])
            q[s, a] = new
            leads = (new > old) | ((new == old) & (a <= held))
            best[s] = new if leads else old
            greedy[s] = a if leads else held
            if a == held and not leads:
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
            s = entry >> shift
            a = entry & low
            value = reward[s, a, 0] + discount * best[after]  # as when it was seen: nothing depends on chance
            entry = link[entry]
            left -= 1

        state = target
        age += 1
        if terminal[state] or age == episode_steps:
            episode += 1
            age = 0
            state = _start(start_states, start_chances, key, episode)
        step += 1
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = step, episode, age, state
    counters[FIRST], counters[WAITING], counters[NEWEST] = first, waiting, newest


@kernel
def _start(start_states, start_chances, key, episode):  # type: ignore[no-untyped-def]
    if len(start_states) == 1:
        return start_states[0]
    return start_states[inverse_cdf(start_chances, uniform_2(key, episode, 2))]
