"""The compiled loops of tabular Q-learning (`engine.learning.q_learning`), and what they keep between two calls.

`StepMemory` is what is kept, `StepTable` the table as the loops read it. `learn_by_chance` is the rule for any table,
with one update a step; `learn` is the same for deterministic tables, in half the time. `learn_remembering` repeats
remembered steps after every real one, but for those that led back to their own state at a cost: where nothing is
discounted such a step is never best, which `NEVER` says. At a learning rate of 1 a remembered step teaches nothing
while no update waits, since its value already is what the next state promises, but for moves too small to repeat
(`SETTLED`). Which action is explored is decided without a branch, and so is whether a value rises, since nobody can
foretell either.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.randomness.compiled import bits_1, inverse_cdf, uniform_2

UNSEEN, END = np.int64(-2), np.int64(-1)
KNOWN_AFTER = 30
_MOST_SHORT = 1 << 31
STEP, EPISODE, AGE, STATE, FIRST, WAITING, NEWEST = range(7)


class StepMemory(NamedTuple):
    """All that a learner keeps between two calls. W is A, or the next power of 2 where steps are remembered.

    action_value: Q, f64[S, W], -inf from A on. value, greedy: max_a Q and its first action, f64[S] and uint[S]. last:
    int64[S], the last remembered step into each state; link: int[S W], the one remembered before it, of a step's number
    state * W + action (empty where nothing is remembered). counts: int64[S A K], how often each successor of a
    stochastic table came, or empty. queue, queued: a ring of states whose value may move, with a place to spare, and
    which ones it holds. counters: int64[7], STEP to NEWEST; NEWEST is when a step was last seen for the first time.
    """

    action_value: Floats
    value: Floats
    greedy: NDArray[np.unsignedinteger[Any]]
    last: NDArray[np.int64]
    link: NDArray[np.signedinteger[Any]]
    counts: NDArray[np.int64]
    queue: NDArray[np.int64]
    queued: NDArray[np.bool_]
    counters: NDArray[np.int64]

    def in_rows(self) -> tuple[NDArray[Any], ...]:
        """The arrays, Q row after row as f64[S W]: numba takes a tenth of a second to compile this change of shape."""
        return (self.action_value.reshape(-1), *self[1:])


class StepTable(NamedTuple):
    """A deterministic table, an entry for each place of `StepMemory.action_value`.

    following: int[S W], the next state, ~number where it is terminal. reward: f64[S W]. choices, widths: as
    `list_choices` gives them.
    """

    following: NDArray[np.signedinteger[Any]]
    reward: Floats
    choices: NDArray[np.int64]
    widths: NDArray[np.uint64]


def make_memory(mdp: TabularMDP, initial: float, remembers: bool) -> StepMemory:
    """Return the memory of a learner that has seen nothing.

    Action values are `initial`, 0 in terminal states, -inf where an action is not available.
    """
    terminal, actions = mdp.terminal, len(mdp.actions)
    states = len(terminal)
    value = np.where(terminal, 0.0, initial)
    counters = np.zeros(NEWEST + 1, dtype=np.int64)
    counters[STATE] = END
    links = remembers and mdp.is_deterministic
    action_value = np.full((states, 1 << (actions - 1).bit_length() if links else actions), -np.inf)
    action_value[:, :actions] = value[:, None]
    greedy = np.zeros(states, dtype=np.min_scalar_type(actions))
    if mdp.available is not None:
        action_value[:, :actions][~mdp.available] = -np.inf
        greedy[:] = action_value.argmax(axis=1)
    pairs = action_value.size if links else 0
    number = np.int32 if action_value.size < _MOST_SHORT else np.int64
    return StepMemory(
        action_value,
        value,
        greedy,
        np.full(states, END, dtype=number),
        np.full(pairs, UNSEEN, dtype=number),
        np.zeros(mdp.next_state.size if remembers and not mdp.is_deterministic else 0, dtype=np.int64),
        np.zeros(states + 1, dtype=number),
        np.zeros(states, dtype=np.bool_),
        counters,
    )


def make_step_table(mdp: TabularMDP, width: int) -> StepTable:
    """Return a deterministic table for a memory of W = `width`."""
    target, actions = mdp.next_state[:, :, 0], len(mdp.actions)
    following = np.zeros((len(target), width), dtype=target.dtype)
    reward = np.zeros(following.shape)
    following[:, :actions] = np.where(mdp.terminal.take(target), ~target, target)
    reward[:, :actions] = mdp.reward[:, :, 0]
    return StepTable(following.reshape(-1), reward.reshape(-1), *list_choices(mdp))


def find_seen_steps(memory: StepMemory, shape: tuple[int, int]) -> Booleans:
    """Return bool[S, A], the steps that a learner of a deterministic table has seen. shape: S and A."""
    states, actions = shape
    seen: Booleans = memory.link.reshape(states, -1)[:, :actions] != UNSEEN
    return seen


def list_choices(mdp: TabularMDP) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The available actions of every state, in order from the left, int64[S, A], and how many they are, uint64[S].

    Both are without rows where every action is available everywhere.
    """
    if mdp.available is None:
        return np.zeros((0, len(mdp.actions)), dtype=np.int64), np.zeros(0, dtype=np.uint64)
    return np.argsort(~mdp.available, axis=1, kind="stable"), mdp.available.sum(axis=1).astype(np.uint64)


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
        draw_episode_start(start_states, start_chances, key, episode) if counters[STATE] < 0 else counters[STATE]
    )
    for step in range(counters[STEP], until):
        usual = np.uint64(greedy[state])
        action = np.uint64(
            _choose_action(np.uint64(bits_1(key, step)), usual, threshold, state, actions, choices, widths)
        )
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
            best[state], greedy[state] = _find_first_best(q, row, actions)
        age += 1
        if (after < 0) | (age == episode_steps):
            episode += 1
            age = 0
            state = np.uint64(draw_episode_start(start_states, start_chances, key, episode))
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
        draw_episode_start(start_states, start_chances, key, episode) if counters[STATE] < 0 else counters[STATE]
    )
    step = counters[STEP]
    while step < until and step - newest < patience:
        held = np.uint64(greedy[state])
        action = np.uint64(_choose_action(np.uint64(bits_1(key, step)), held, threshold, state, width, choices, widths))
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
                    now, where = _find_first_best(q, moved << shift, width)
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
            state = np.uint64(draw_episode_start(start_states, start_chances, key, episode))
        else:
            state = target
        step += 1
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = step, episode, age, state
    counters[FIRST], counters[WAITING], counters[NEWEST] = first, waiting, newest


@kernel(inline="always")
def _choose_action(draw, usual, threshold, state, actions, choices, widths):  # type: ignore[no-untyped-def]
    """The action of a step, uint64: the usual one, or where one is explored each available one as likely as another."""
    if len(choices) == 0:
        tried = ((draw & _LOW) * actions) >> _32
    else:
        tried = np.uint64(choices[state, ((draw & _LOW) * widths[state]) >> _32])
    return tried if (draw >> _32) < threshold else usual


@kernel(inline="always")
def _find_first_best(q, row, width):  # type: ignore[no-untyped-def]
    """Return the largest of `width` values from `row` on and the first action that has it; two halves, side by side."""
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


@kernel(inline="always")
def _draw_best(q, state, top, number):  # type: ignore[no-untyped-def]
    """Return one of the actions whose value is `top`, each as likely as another. number: in [0, 1)."""
    ties = 0
    for other in range(q.shape[1]):
        ties += q[state, other] == top
    left, action = np.int64(number * ties), np.int64(0)
    while q[state, action] != top or left > 0:
        left -= q[state, action] == top
        action += 1
    return action


@kernel
def draw_episode_start(start_states, start_chances, key, episode):  # type: ignore[no-untyped-def]
    """Return the start state of an episode, by its number."""
    if len(start_states) == 1:
        return start_states[0]
    return start_states[inverse_cdf(start_chances, uniform_2(key, episode, np.int64(2)))]


_HALF = np.uint64(32)


@kernel
def learn_by_chance(table, episodes, rule, until, key, memory, patience, ties_at_random):  # type: ignore[no-untyped-def]
    """Go on learning up to step number `until`, or until `patience` steps have shown nothing new.

    table: next_state, probability, reward, terminal of a TabularMDP, then choices and widths as `list_choices` gives
    them. Where successors are counted, a learning rate of 1 means the average, 1 / n at the nth step. ties_at_random:
    whether any of the best actions is the usual one, each as likely as another, not the first of them. The other
    arguments are those of `learn`, which learns the same bits of a deterministic table in half the time.
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
        state = draw_episode_start(start_states, start_chances, key, episode)
    step = counters[STEP]
    while step < until and step - newest < patience:
        draw = bits_1(key, step)
        if ragged:
            width = widths[state]
        tried_out = np.int64(((draw & _LOW) * width) >> _HALF)
        if ragged:
            tried_out = choices[state, tried_out]
        usual = np.int64(greedy[state])
        if ties_at_random:
            usual = _draw_best(q, state, best[state], uniform_2(key, step, 3))
        action = usual ^ ((usual ^ tried_out) & -np.int64((draw >> _HALF) < threshold))  # either one, without a branch
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
            state = draw_episode_start(start_states, start_chances, key, episode)
        step += 1
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = step, episode, age, state
    counters[NEWEST] = newest
