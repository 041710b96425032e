"""What tabular Q-learning keeps between two calls of its compiled loops, and the table as those loops read it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, TabularMDP

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
    `available_choices` gives them.
    """

    following: NDArray[np.signedinteger[Any]]
    reward: Floats
    choices: NDArray[np.int64]
    widths: NDArray[np.uint64]


def fresh_memory(mdp: TabularMDP, initial: float, remembers: bool) -> StepMemory:
    """The memory of a learner that has seen nothing.

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


def step_table(mdp: TabularMDP, width: int) -> StepTable:
    """A deterministic table for a memory of W = `width`."""
    target, actions = mdp.next_state[:, :, 0], len(mdp.actions)
    following = np.zeros((len(target), width), dtype=target.dtype)
    reward = np.zeros(following.shape)
    following[:, :actions] = np.where(mdp.terminal.take(target), ~target, target)
    reward[:, :actions] = mdp.reward[:, :, 0]
    return StepTable(following.reshape(-1), reward.reshape(-1), *available_choices(mdp))


def seen_steps(memory: StepMemory, shape: tuple[int, int]) -> Booleans:
    """bool[S, A]: the steps that a learner of a deterministic table has seen. shape: S and A."""
    states, actions = shape
    seen: Booleans = memory.link.reshape(states, -1)[:, :actions] != UNSEEN
    return seen


def available_choices(mdp: TabularMDP) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The available actions of every state, in order from the left, int64[S, A], and how many they are, uint64[S].

    Both are without rows where every action is available everywhere.
    """
    if mdp.available is None:
        return np.zeros((0, len(mdp.actions)), dtype=np.int64), np.zeros(0, dtype=np.uint64)
    return np.argsort(~mdp.available, axis=1, kind="stable"), mdp.available.sum(axis=1).astype(np.uint64)
