"""Random worlds for the engine's tests: tables, models given state by state, and worlds in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from engine.mdp.mdp import Outcome, TabularMDP


class Place(NamedTuple):
    """A state of `Columns`."""

    row: int
    column: int


class Columns:
    """A deterministic world in columns, its rules drawn at random: tables over all codes."""

    actions = ("a", "b", "c")

    def __init__(self, sizes: tuple[int, int], target: Any, rewards: Any, over: Any, starts: Mapping[Place, float]):
        self.sizes, self.target, self.rewards, self.over, self._starts = sizes, target, rewards, over, starts

    def starts(self) -> Mapping[Place, float]:
        return self._starts

    def step(self, state: Place, action: int) -> Place:
        code = self.target[action][state.row * self.sizes[1] + state.column]
        return Place(code // self.sizes[1], code % self.sizes[1])

    def reward(self, state: Place, action: int, next_state: Place) -> Any:
        return self.rewards[action][state.row * self.sizes[1] + state.column]

    def is_terminal(self, state: Place) -> Any:
        return self.over[state.row * self.sizes[1] + state.column]


class OneByOne:
    """The same world given state by state."""

    def __init__(self, columns: Columns) -> None:
        self._columns, self.actions = columns, columns.actions

    def starts(self) -> Mapping[Place, float]:
        return self._columns.starts()

    def outcomes(self, state: Place, action: int) -> list[Outcome]:
        target = self._columns.step(state, action)
        reward = self._columns.reward(state, action, target)
        return [Outcome(Place(int(target.row), int(target.column)), float(reward))]

    def is_terminal(self, state: Place) -> bool:
        return bool(self._columns.is_terminal(state))


COSTS = st.integers(-5, -1).map(float)
BONUS = st.integers(-9, 9).map(float)


@st.composite
def columns(draw: st.DrawFn) -> Columns:
    """A world of at most 30 states in columns."""
    sizes = (draw(st.integers(1, 5)), draw(st.integers(1, 6)))
    count = sizes[0] * sizes[1]
    codes = st.lists(st.integers(0, count - 1), min_size=count, max_size=count)
    target = [np.array(draw(codes)) for _ in Columns.actions]
    rewards = [np.array(draw(st.lists(st.integers(-4, 2), min_size=count, max_size=count))) for _ in Columns.actions]
    over = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    first = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3, unique=True))
    starts = {Place(code // sizes[1], code % sizes[1]): 1 / len(first) for code in first}
    return Columns(sizes, target, rewards, over, starts)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    rewards: st.SearchStrategy[float] = COSTS,
    bonus: st.SearchStrategy[float] = BONUS,
    discount: float = 1.0,
    successors: int = 1,
    endable: bool = False,
    most_states: int = 7,
) -> TabularMDP:
    """A random table; the last state is terminal, others may be.

    rewards: of steps on the way; bonus: of steps that may end. endable: from every state some step may lead on
    towards the last state, so that some policy is proper.
    """
    states = draw(st.integers(2, most_states))
    actions = draw(st.integers(1, 3))
    terminal = np.array([draw(st.integers(0, 4)) == 0 for _ in range(states - 1)] + [True])
    shape = (states, actions, successors)
    next_state = np.zeros(shape, dtype=np.int32)
    probability, reward = np.zeros(shape), np.zeros(shape)
    for s in range(states):
        for a in range(actions):
            if terminal[s]:
                next_state[s, a, 0], probability[s, a, 0] = s, 1.0
                continue
            many = draw(st.integers(1, successors))
            parts = np.array([draw(st.integers(1, 4)) for _ in range(many)], dtype=float)
            probability[s, a, :many] = parts / parts.sum()
            for k in range(many):
                low = s + 1 if endable and a == 0 and k == 0 else 0
                next_state[s, a, k] = draw(st.integers(low, states - 1))
                reward[s, a, k] = draw(bonus if terminal[next_state[s, a, k]] else rewards)
    return numbered(next_state, probability, reward, terminal, discount)


def corridor(length: int, discount: float = 1.0, step: float = -1.0) -> TabularMDP:
    """States 0 .. length in a row; "on" goes one further, "stay" does not; the last one is the end."""
    next_state = np.zeros((length + 1, 2, 1), dtype=np.int32)
    next_state[:, 0, 0] = [*range(1, length + 1), length]
    next_state[:, 1, 0] = range(length + 1)
    reward = np.full(next_state.shape, step)
    reward[length] = 0.0
    return numbered(next_state, None, reward, [length], discount, ("on", "stay"))


def numbered(
    next_state: Any,
    probability: Any,
    reward: Any,
    terminal: Any,
    discount: float = 1.0,
    actions: Sequence[str] = "abcdefgh",
) -> TabularMDP:
    """A table of numbered states that starts in state 0.

    next_state, reward: [S, A, K]. probability: [S, A, K]; None: certain. terminal: bool[S], or the numbers of states.
    actions: their names, of which there may be more.
    """
    successors, states = np.asarray(next_state, dtype=np.int32), tuple(range(len(next_state)))
    ends = np.asarray(terminal)
    return TabularMDP(
        states,
        {number: number for number in states},
        tuple(actions[: successors.shape[1]]),
        successors,
        np.ones(successors.shape) if probability is None else np.asarray(probability, dtype=np.float64),
        np.asarray(reward, dtype=np.float64),
        ends if ends.dtype == np.bool_ else np.isin(states, ends),
        np.eye(1, len(states))[0],
        discount,
    )
