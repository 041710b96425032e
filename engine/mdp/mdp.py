"""A Markov decision process as arrays: <S, A, T, r, gamma> with its states in the problem's own words beside them.

A world says what may happen (`Model`, or `ColumnModel` where it is deterministic and speaks of many states at once);
`tabulate` enumerates it and is the only place where states become integers. Planners, learners and rollouts
then see a `TabularMDP` and nothing else.

Reference: "Be Considerate", section 2 (terminal states absorb, with reward 0).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Policy = NDArray[np.int32]
Booleans = NDArray[np.bool_]


class Outcome(NamedTuple):
    """One transition that may happen: the next state, the reward and the probability."""

    state: Hashable
    reward: float
    probability: float = 1.0


class Model(Protocol):
    """A Markov decision process given state by state; states are hashable, usually a NamedTuple."""

    actions: tuple[str, ...]

    def starts(self) -> Mapping[Any, float]:
        """Start state -> probability."""

    def outcomes(self, state: Any, action: int) -> Iterable[Outcome]:
        """Every possible transition; probabilities sum to 1; not asked of terminal states."""

    def is_terminal(self, state: Any) -> bool:
        """Whether an episode is over in this state."""


class ColumnModel(Protocol):
    """A deterministic Markov decision process given for many states at once.

    A state is a NamedTuple of small non-negative integers, field f below `sizes[f]`. The methods get a NamedTuple
    whose fields are integer arrays, one entry a state, and return arrays: `where` takes the place of `if`.
    """

    actions: tuple[str, ...]
    sizes: tuple[int, ...]

    def starts(self) -> Mapping[Any, float]:
        """Start state (a NamedTuple of plain integers) -> probability."""

    def step(self, state: Any, action: int) -> Any:
        """The next states; an action that is impossible in a state leaves it as it is."""

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        """The reward of the step: a number or f64[states]."""

    def is_terminal(self, state: Any) -> Any:
        """bool[states]."""


@dataclass(frozen=True)
class TabularMDP:
    """A frozen table; S states, A actions, at most K successors of a state and action.

    states: state of each number. index: number of each state. actions: A names. next_state: int32[S, A, K].
    probability: f64[S, A, K], rows sum to 1, unused successors have 0. reward: f64[S, A, K]. terminal: bool[S];
    terminal states lead to themselves with reward 0. start: f64[S], sums to 1. discount: gamma in [0, 1].
    """

    states: Sequence[Any]
    index: Mapping[Any, int]
    actions: tuple[str, ...]
    next_state: Integers
    probability: Floats
    reward: Floats
    terminal: Booleans
    start: Floats
    discount: float

    @property
    def is_deterministic(self) -> bool:
        """Whether every action has one successor."""
        return bool(self.next_state.shape[2] == 1)

    def with_reward(self, reward: Floats) -> TabularMDP:
        """The same world with another reward, f64[S, A, K]."""
        if reward.shape != self.reward.shape:
            raise BadValue(
                f"a reward of shape {reward.shape}", place="with_reward", remedy=f"give shape {self.reward.shape}"
            )
        return replace(self, reward=reward)

    def with_discount(self, discount: float) -> TabularMDP:
        """The same world with another gamma."""
        return replace(self, discount=checked_discount(discount))

    def start_states(self) -> NDArray[np.int64]:
        """int64[n]: numbers of the states in which an episode may start, in ascending order."""
        return np.flatnonzero(self.start)


def checked_discount(discount: float) -> float:
    """The discount as a float; BadValue outside [0, 1]."""
    if not 0.0 <= discount <= 1.0:
        raise BadValue(f"discount {discount}", place="discount", remedy="choose one between 0 and 1")
    return float(discount)
