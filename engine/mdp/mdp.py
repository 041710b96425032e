"""A Markov decision process as arrays: <S, A, T, r, gamma> with its states in the problem's own words beside them.

A world says what may happen (`Model`, or `ColumnModel` where it speaks of many states at once);
`tabulate` enumerates it and is the only place where states become integers. Planners, learners and rollouts
then see a `TabularMDP` and nothing else.

Reference: "Be Considerate", section 2 (terminal states absorb, with reward 0).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.value_types import Discount, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Policy = NDArray[np.int32]
Booleans = NDArray[np.bool_]
_Number = TypeVar("_Number", np.int32, np.float64)


class Outcome(NamedTuple):
    """One transition that may happen: the next state, the reward and the probability.

    terminated: whether the transition itself ends the episode, whatever its state, as in Gymnasium's tables
    `P[s][a] = [(p, s', r, terminated)]`.
    """

    state: Hashable
    reward: float
    probability: float = 1.0
    terminated: bool = False


class Model(Protocol):
    """A Markov decision process given state by state; states are hashable, usually a NamedTuple."""

    actions: tuple[str, ...]

    def starts(self) -> Mapping[Any, float]:
        """Start state -> probability."""

    def outcomes(self, state: Any, action: int) -> Iterable[Outcome]:
        """Return every possible transition; probabilities sum to 1; not asked of terminal states.

        None at all: the action is not available in this state. One action at least is.
        """

    def is_terminal(self, state: Any) -> bool:
        """Return whether an episode is over in this state."""


class ColumnModel(Protocol):
    """A Markov decision process given for many states at once.

    A state is a NamedTuple of small non-negative integers, field f below `sizes[f]`. The methods get a NamedTuple
    whose fields are integer arrays, one entry a state, and return arrays: `where` takes the place of `if`.

    Three more methods may be defined. available(state, action): bool[states], whether an action can be taken there.
    ends(state, action, next_state): bool[states], whether a transition itself ends the episode. observe(state): a tuple
    of int64[states], what the agent observes; states that agree in it look alike.
    """

    actions: tuple[str, ...]
    sizes: tuple[int, ...]

    def starts(self) -> Mapping[Any, float]:
        """Start state (a NamedTuple of plain integers) -> probability."""

    def step(self, state: Any, action: int) -> Any:
        """Return the next states, or, where chance decides, a list of pairs (probability, next states).

        A probability is a number or f64[states]. An action without effect leaves a state as it is.
        """

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        """Return the reward of the step: a number or f64[states]."""

    def is_terminal(self, state: Any) -> Any:
        """Return bool[states]."""


@dataclass(frozen=True)
class TabularMDP:
    """A frozen table; S states, A actions, at most K successors of a state and action.

    Parameters
    ----------
    states : sequence
        The state of each number.
    index : mapping
        The number of each state. A state in which a transition ended the episode is one more terminal state of the same
        name; `index` holds the one in which one can go on, where there is one.
    actions : tuple of str
        A names.
    next_state : int32[S, A, K]
    probability : f64[S, A, K]
        Rows sum to 1; unused successors have 0.
    reward : f64[S, A, K]
    terminal : bool[S]
        Terminal states lead to themselves with reward 0.
    start : f64[S]
        Sums to 1.
    discount : float from 0 to 1
        gamma.
    available : bool[S, A] or None
        None where every action is available everywhere. An action that is not available in a state has the outcomes and
        rewards of the first one that is, so that every planner and learner for complete tables is right on this one
        too; `with_available` and `executable` see to it.
    observation : int64[S] or None
        The number of what the agent observes of each state; None where no two states look alike. Planners know the
        state; learners (`engine.learning`) see the observation.

    Examples
    --------
    >>> import caregrid
    >>> table = caregrid.problem("garden").exact.mdp
    >>> len(table.states), table.actions[0], table.is_deterministic
    (84, 'up', True)
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
    available: Booleans | None = None
    observation: NDArray[np.int64] | None = None

    @property
    def is_deterministic(self) -> bool:
        """Whether every action has one successor."""
        return bool(self.next_state.shape[2] == 1)

    @property
    def observations(self) -> NDArray[np.int64]:
        """int64[S]: what the agent observes of each state, its own number where no two states look alike."""
        return np.arange(len(self.terminal)) if self.observation is None else self.observation

    def count_observations(self) -> int:
        """Return how many different observations there are."""
        return len(self.terminal) if self.observation is None else int(self.observation.max()) + 1

    def with_reward(self, reward: Floats) -> TabularMDP:
        """Return the same world with another reward.

        Parameters
        ----------
        reward : f64[S, A, K]

        Returns
        -------
        TabularMDP

        Raises
        ------
        BadValue
            For another shape.
        """
        if reward.shape != self.reward.shape:
            raise BadValue(
                f"a reward of shape {reward.shape}", place="with_reward", remedy=f"give shape {self.reward.shape}"
            )
        return replace(self, reward=self.complete(reward))

    def with_available(self, available: Booleans) -> TabularMDP:
        """Return the same world in which only some actions are available.

        Parameters
        ----------
        available : bool[S, A]
            Terminal states need none.

        Returns
        -------
        TabularMDP

        Raises
        ------
        BadValue
            For another shape, and where no action is left in a state that is not terminal.
        """
        if available.shape != self.next_state.shape[:2]:
            remedy = f"give shape {self.next_state.shape[:2]}"
            raise BadValue(f"a mask of shape {available.shape}", place="with_available", remedy=remedy)
        allowed = available | self.terminal[:, None]
        if not allowed.any(axis=1).all():
            raise BadValue("a state without any action", place="with_available", remedy="leave one in every state")
        if allowed.all():
            return replace(self, available=None)
        table = replace(self, available=allowed)
        return replace(
            table,
            next_state=table.complete(self.next_state),
            probability=table.complete(self.probability),
            reward=table.complete(self.reward),
        )

    def complete(self, amount: NDArray[_Number]) -> NDArray[_Number]:
        """Return an amount [S, A, ...] in which an unavailable action has that of the first available one."""
        if self.available is None:
            return amount
        result = np.array(amount)
        origin, action = np.nonzero(~self.available)
        result[origin, action] = amount[origin, self.available.argmax(axis=1)[origin]]
        return result

    def average(self, amount: Floats) -> Floats:
        """Return f64[S, A], what an amount of each transition, f64[S, A, K], is on average."""
        mean: Floats = amount[:, :, 0] if self.is_deterministic else (self.probability * amount).sum(axis=2)
        return mean

    def executable(self, policy: Policy) -> Policy:
        """Return the policy, int32[S], with the first available action in place of one that is not available."""
        if self.available is None:
            return policy
        can = self.available[np.arange(len(policy)), policy]
        return np.where(can, policy, self.available.argmax(axis=1)).astype(np.int32)

    def action_mask(self, states: Any) -> Booleans:
        """Return bool[..., A], which actions are available in states given by number."""
        if self.available is None:
            return np.ones((*np.shape(states), len(self.actions)), dtype=np.bool_)
        mask: Booleans = self.available[states]
        return mask

    def with_discount(self, discount: float) -> TabularMDP:
        """Return the same world with another gamma."""
        return replace(self, discount=check_discount(discount))

    def start_states(self) -> NDArray[np.int64]:
        """Return int64[n], numbers of the states in which an episode may start, in ascending order."""
        return np.flatnonzero(self.start)


def check_discount(discount: float) -> float:
    """Return the discount as a float; BadValue outside [0, 1]."""
    return float(require("discount", discount, Discount))
