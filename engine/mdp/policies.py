"""Policies of a table: a user's own, random and epsilon-greedy ones, and the table in which one of them is followed.

    P'(k' | s) = sum_a pi(a | s) P(k | s, a),   one successor k' = (a, k) for each action and successor

The table in which a policy is followed has one action, whose outcomes are those of the policy's actions. All that is
computed of a policy int32[S], values, occupancies, bounds in fractions, is so computed of probabilities f64[S, A], too.

An episode has states, actions and rewards in order, and says whether the world or the step limit ended it.
`RandomStates` holds for each of n states a random state of some table: what is handed over, or where doing nothing
leads."""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Integers, Policy, TabularMDP
from engine.randomness.counter_based import inverse_cdf, uniform
from engine.value_types import Probability, require

ROUNDING = 1e-9


def _refuse_masked(policy: object) -> None:
    """BadValue for a masked entry: as numbers, what is masked would count."""
    rows = policy if isinstance(policy, list | tuple) else [policy]
    if any(map(np.ma.is_masked, rows)):
        remedy = "give a number for each, such as policy.filled(0) for probabilities"
        raise BadValue("masked entries", place="policy", remedy=remedy)


def _scale_rows(given: NDArray[Any], total: Floats) -> Floats:
    """Return probabilities whose sums are 1 to the last digits of 64 bits, of rows that were rounded to fewer."""
    rounded = np.abs(total - 1.0) > given.shape[1] * np.finfo(np.float64).eps
    return np.asarray(given / np.where(rounded, total, 1.0)[:, None], dtype=np.float64)


def make_probabilities(mdp: TabularMDP, policy: Policy | Floats) -> Floats:
    """Return a policy, int[S] or probabilities [S, A], as f64[S, A]; BadValue for one that is none of this table.

    Probabilities of 32 or 16 bits, as networks give them, may miss 1 by their rounding; their rows are then scaled.
    """
    _refuse_masked(policy)
    given = np.asarray(policy)
    states, actions = mdp.next_state.shape[:2]
    if given.shape == (states,) and given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= actions:
            raise BadValue(
                "a policy of unknown actions", place="policy", remedy=f"give numbers from 0 to {actions - 1}"
            )
        return np.eye(actions)[mdp.executable(given.astype(np.int32))]
    if given.shape != (states, actions) or given.dtype.kind not in "fiu":
        remedy = f"give an action for each of {states} states, or the probabilities of {actions} actions in each"
        raise BadValue(f"a policy of shape {given.shape}", place="policy", remedy=remedy)
    chances = given.astype(np.float64)
    going_on = ~mdp.terminal
    total = chances.sum(axis=1)
    slack = ROUNDING + (actions * float(np.finfo(f"f{given.itemsize}").eps) if given.dtype.kind == "f" else 0.0)
    if not ((chances >= 0) & np.isfinite(chances)).all() or (np.abs(total - 1.0) > slack)[going_on].any():
        remedy = "give rows of 0 or more that sum to 1, such as p / p.sum(axis=1, keepdims=True) in 64 bits"
        raise BadValue("probabilities that do not sum to 1", place="policy", remedy=remedy)
    if mdp.available is not None and (chances[going_on] > 0)[~mdp.available[going_on]].any():
        raise BadValue("an action that is not available", place="policy", remedy="give it probability 0")
    return _scale_rows(chances, np.where(going_on, total, 1.0))


def make_random_policy(mdp: TabularMDP) -> Floats:
    """Return every available action with the same probability; the first one in terminal states, where none matters."""
    mask = mdp.action_mask(np.arange(len(mdp.terminal)))
    mask[:, 0] |= ~mask.any(axis=1)
    return np.asarray(mask / mask.sum(axis=1, keepdims=True))


def epsilon_greedy(mdp: TabularMDP, policy: Policy, epsilon: float) -> Floats:
    """Return a policy, int32[S], that takes a random available action with probability epsilon.

    Raises BadValue for an epsilon outside [0, 1].
    """
    require("epsilon", epsilon, Probability)
    chances = epsilon * make_random_policy(mdp)
    chances[np.arange(len(chances)), mdp.executable(policy)] += 1.0 - epsilon
    return chances


def _make_array(policy: object, longest: int) -> NDArray[Any]:
    """Return a user's object as an array, an empty one where it is none; BadValue for one of more entries."""
    try:
        entries = len(policy) if isinstance(policy, Sized) else 0
        if entries <= longest:
            return np.asarray(policy)
    except Exception:  # rows of different lengths, or an object of a user's own class
        return np.empty(0)
    raise BadValue(f"a policy of {entries} entries", place="policy", remedy=f"give one for each of {longest} states")


def require_policy(mdp: TabularMDP, policy: object) -> Policy | Floats:
    """Return a user's policy as int32[S] or f64[S, A].

    Raises BadValue for one that is none, none of this table, or takes an action that is not available.
    """
    _refuse_masked(policy)
    given = _make_array(policy, len(mdp.terminal))
    chances = make_probabilities(mdp, given)
    if given.ndim == 2:
        return chances
    chosen = given.astype(np.int32)
    if (mdp.executable(chosen) != chosen)[~mdp.terminal].any():
        raise BadValue("an action that is not available", place="policy", remedy="look at mdp.available")
    return mdp.executable(chosen)


@dataclass(frozen=True)
class PolicyTable:
    """A table in which one policy is followed.

    table: of one action. chance: f64[S, A], the probabilities of the actions.
    """

    table: TabularMDP
    chance: Floats
    _action: Policy | None

    @property
    def still(self) -> Policy:
        """int32[S]: the only policy of `table`."""
        return np.zeros(len(self.chance), dtype=np.int32)

    def select(self, reward: Floats) -> Floats:
        """Return a reward f64[S, A, K] of the whole table as one of `table`, f64[S, 1, K']."""
        if self._action is not None:
            return np.asarray(reward[np.arange(len(reward)), self._action][:, None])
        return np.ascontiguousarray(reward).reshape(len(reward), 1, -1)


def follow_policy(mdp: TabularMDP, policy: Policy | Floats) -> PolicyTable:
    """Follow a policy, int[S] or the probabilities f64[S, A] of actions.

    Raises BadValue for one that is none, or none of this table.
    """
    chance = make_probabilities(mdp, policy)
    certain = bool(((chance == 0.0) | (chance == 1.0)).all()) and bool(chance.any(axis=1).all())
    action: Policy | None = chance.argmax(axis=1).astype(np.int32) if certain else None
    followed = PolicyTable(mdp, chance, action)
    chosen = followed.select(np.broadcast_to(mdp.probability, mdp.next_state.shape))
    if action is None:
        chosen = followed.select(chance[:, :, None] * mdp.probability)
        chosen[mdp.terminal] = np.eye(chosen.shape[2])[0]
    table = replace(
        mdp,
        actions=("follow",),
        next_state=np.asarray(followed.select(mdp.next_state), dtype=np.int32),  # type: ignore[arg-type]
        probability=chosen,
        reward=followed.select(mdp.reward),
        available=None,
    )
    return PolicyTable(table, chance, action)


class Step(NamedTuple):
    """One step: state, action (both by name), reward and next state."""

    state: Any
    action: str
    reward: float
    next_state: Any


class Episode(NamedTuple):
    """Steps in order; `ending` is "terminated" where the world ended it, "truncated" where the step limit did."""

    start: Any
    steps: tuple[Step, ...]
    ending: Literal["terminated", "truncated"]

    @property
    def states(self) -> tuple[Any, ...]:
        """Every state from the first to the last: one more than there are steps."""
        return (self.start, *(step.next_state for step in self.steps))

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions taken."""
        return tuple(step.action for step in self.steps)

    def total(self, discount: float = 1.0) -> float:
        """Return the sum of rewards, discounted from the first step on; the last step's reward counts too."""
        total = 0.0
        for step in reversed(self.steps):
            total = step.reward + discount * total
        return total


class Trajectory(NamedTuple):
    """An episode by numbers. states: from the first to the last; actions, slots: which successor came, between them."""

    states: tuple[int, ...]
    actions: tuple[int, ...]
    slots: tuple[int, ...]

    def episode(self, mdp: TabularMDP) -> Episode:
        """Return the episode in the words of the table."""
        names = [mdp.states[number] for number in self.states]
        steps = tuple(
            Step(names[n], mdp.actions[action], float(mdp.reward[self.states[n], action, slot]), names[n + 1])
            for n, (action, slot) in enumerate(zip(self.actions, self.slots, strict=True))
        )
        return Episode(names[0], steps, "terminated" if mdp.terminal[self.states[-1]] else "truncated")


def sample(mdp: TabularMDP, act: Callable[[int], int], start: int, limit: int, key: int = 0) -> Trajectory:
    """Return a trajectory of a policy in a table, of at most `limit` steps.

    act: state number -> action number. start: number of the first state. key: of the successors of stochastic steps,
    one random number a step. Raises BadValue for a limit below 1.
    """
    if limit < 1:
        raise BadValue(f"a limit of {limit} steps", place="rollout", remedy="allow at least one step")
    states, actions, slots = [start], list[int](), list[int]()
    while not mdp.terminal[states[-1]] and len(actions) < limit:
        actions.append(int(act(states[-1])))
        slots.append(find_successor(mdp, states[-1], actions[-1], uniform(key, len(slots))))
        states.append(int(mdp.next_state[states[-1], actions[-1], slots[-1]]))
    return Trajectory(tuple(states), tuple(actions), tuple(slots))


def find_successor(mdp: TabularMDP, state: int, action: int, number: float) -> int:
    """Return the slot of the successor that a number from [0, 1) falls into."""
    return 0 if mdp.is_deterministic else int(inverse_cdf(mdp.probability[state, action], number))


def rollout(mdp: TabularMDP, act: Callable[[int], int], start: int, limit: int, key: int = 0) -> Episode:
    """Return an episode of a policy in a table, of at most `limit` steps; arguments as in `sample`."""
    return sample(mdp, act, start, limit, key).episode(mdp)


class RandomStates(NamedTuple):
    """number: int32[n, H], states of the table. probability: f64[n, H], rows sum to 1; H is 1 without chance."""

    number: Integers
    probability: Floats

    def average(self, value: Floats) -> Floats:
        """Return f64[n], the mean of values f64[states of the table]."""
        if self.number.shape[1] == 1:
            return value[self.number[:, 0]]
        return np.asarray((self.probability * value[self.number]).sum(axis=1))

    def draw(self, state: int, uniform: float) -> int:
        """Return the state that a number from [0, 1) falls into, for one of the n states."""
        return int(self.number[state, inverse_cdf(self.probability[state], uniform)])
