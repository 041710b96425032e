"""Breadth-first enumeration of a world's states, one by one or a frontier at once, with the same state numbers.

Columns: a state's code is its mixed-radix number over `sizes`; a dense array maps codes to state numbers. Each round
steps the whole frontier with every action and keeps the first occurrence of each new code in (state, action) order,
so states get the numbers that enumeration one by one would give them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import ColumnModel, Integers, Model, TabularMDP, checked_discount

LARGEST_CODE = 2**28
CERTAIN = 1e-9
Codes = NDArray[np.int64]


def tabulate(
    model: Model | ColumnModel, discount: float = 1.0, starts: Mapping[Any, float] | None = None
) -> TabularMDP:
    """The table of a world: its reachable states, enumerated breadth first, and their transitions as arrays.

    model: the world. discount: gamma. starts: start state -> probability, by default the model's own. State numbers do
    not depend on the kind of model: states are numbered in the order in which they are reached, actions in order.
    Raises ContractBroken where the model breaks its contract, BadValue for a discount outside [0, 1].
    """
    gamma = checked_discount(discount)
    first = dict(model.starts()) if starts is None else dict(starts)
    if not first or not abs(sum(first.values()) - 1.0) <= 1e-9 or min(first.values()) < 0:
        raise BadValue("start probabilities that do not sum to 1", place=type(model).__name__, remedy="normalise them")
    if hasattr(model, "sizes"):
        return enumerate_columns(model, gamma, first)
    return enumerate_states(model, gamma, first)


def enumerate_states(model: Model, discount: float, starts: Mapping[Any, float]) -> TabularMDP:
    """The table of a `Model`, state by state: any hashable states, any number of outcomes."""
    states: list[Any] = list(starts)
    index = {state: n for n, state in enumerate(states)}
    entries: list[tuple[int, int, int, int, float, float]] = []
    terminal: list[bool] = []
    most = 1
    for number, state in enumerate(states):  # the list grows meanwhile
        terminal.append(bool(model.is_terminal(state)))
        for action in range(len(model.actions)):
            if terminal[number]:
                entries.append((number, action, 0, number, 1.0, 0.0))
                continue
            total = 0.0
            slot = -1
            for slot, outcome in enumerate(model.outcomes(state, action)):
                if outcome.state not in index:
                    index[outcome.state] = len(states)
                    states.append(outcome.state)
                entries.append((number, action, slot, index[outcome.state], outcome.probability, outcome.reward))
                total += outcome.probability
            _check_outcomes(entries[len(entries) - slot - 1 :], total, model, state, action)
            most = max(most, slot + 1)
    shape = (len(states), len(model.actions), most)
    next_state = np.zeros(shape, dtype=np.int32)
    probability, reward = np.zeros(shape), np.zeros(shape)
    for number, action, slot, target, chance, gain in entries:
        next_state[number, action, slot] = target
        probability[number, action, slot] = chance
        reward[number, action, slot] = gain
    start = np.zeros(len(states))
    start[: len(starts)] = list(starts.values())
    return TabularMDP(
        tuple(states),
        index,
        tuple(model.actions),
        next_state,
        probability,
        reward,
        np.array(terminal, dtype=np.bool_),
        start,
        discount,
    )


def _check_outcomes(
    entries: Sequence[tuple[int, int, int, int, float, float]], total: float, model: Model, state: Any, action: int
) -> None:
    """Refuse probabilities that are no distribution and rewards that are not finite."""
    place = f"{type(model).__name__}, state {state}, action '{model.actions[action]}'"
    for *_, chance, gain in entries:
        if chance < 0.0:
            raise ContractBroken(f"probability {chance}", place=place, remedy="give none below 0")
        if not math.isfinite(gain):
            raise ContractBroken(f"reward {gain} is not finite", place=place, remedy="give finite numbers")
    if not abs(total - 1.0) <= CERTAIN:
        raise ContractBroken(f"probabilities sum to {total}", place=place, remedy="make them sum to 1")


def enumerate_columns(model: Any, discount: float, starts: Mapping[Any, float]) -> TabularMDP:
    """The table of a `ColumnModel`, a frontier at once: states of small integers, deterministic steps."""
    kind = type(next(iter(starts)))
    codec = Codec(kind, model.sizes, type(model).__name__)
    number_of = np.full(codec.count, -1, dtype=np.int32)
    frontier = codec.encode(codec.columns(starts))
    if len(np.unique(frontier)) != len(frontier):
        raise BadValue("a start state is given twice", place=type(model).__name__, remedy="merge them")
    number_of[frontier] = np.arange(len(frontier))
    layers, targets, rewards, terminals = [], [], [], []
    number_of_states = 0
    while len(frontier):
        layers.append(frontier)
        number_of_states += len(frontier)
        stepped, reward, terminal = _step_frontier(model, codec, frontier)
        flat = stepped.reshape(-1)
        new = flat[number_of[flat] < 0]
        number_of[new[::-1]] = np.arange(len(new) - 1, -1, -1)  # the first occurrence is written last
        frontier = new[number_of[new] == np.arange(len(new))]
        number_of[frontier] = number_of_states + np.arange(len(frontier))
        targets.append(number_of[flat].reshape(stepped.shape))
        rewards.append(reward)
        terminals.append(terminal)
    states = ColumnStates(codec, np.concatenate(layers))
    next_state = np.concatenate(targets)[:, :, None]
    start = np.zeros(len(states))
    start[: len(starts)] = list(starts.values())
    return TabularMDP(
        states,
        ColumnIndex(states, number_of),
        tuple(model.actions),
        next_state,
        np.broadcast_to(np.float64(1.0), next_state.shape),
        np.concatenate(rewards)[:, :, None],
        np.concatenate(terminals),
        start,
        discount,
    )


def _step_frontier(
    model: ColumnModel, codec: Codec, frontier: Codes
) -> tuple[Codes, NDArray[np.float64], NDArray[np.bool_]]:
    """Codes and rewards [frontier, A] of every action, and which frontier states are terminal."""
    state = codec.decode(frontier)
    terminal = np.broadcast_to(np.asarray(model.is_terminal(state), dtype=np.bool_), frontier.shape).copy()
    stepped = np.empty((len(frontier), len(model.actions)), dtype=np.int64)
    reward = np.empty(stepped.shape)
    for action in range(len(model.actions)):
        next_state = model.step(state, action)
        stepped[:, action] = np.where(terminal, frontier, codec.encode(next_state))
        reward[:, action] = np.where(terminal, 0.0, model.reward(state, action, next_state))
        if not np.isfinite(reward[:, action]).all():
            culprit = ~np.isfinite(reward[:, action])
            raise ContractBroken(
                f"reward {reward[culprit, action][0]} is not finite",
                place=f"{type(model).__name__}, action '{model.actions[action]}'",
                remedy="give finite numbers",
            )
    return stepped, reward, terminal


class Codec:
    """States <-> codes: the mixed-radix number of a state's fields, the last field varying fastest."""

    def __init__(self, kind: type[Any], sizes: Sequence[int], world: str) -> None:
        self.kind, self.sizes, self.world = kind, tuple(int(size) for size in sizes), world
        names = getattr(kind, "_fields", ())
        if len(names) != len(self.sizes):
            raise ContractBroken(
                f"{len(self.sizes)} sizes for the {len(names)} fields of {kind.__name__}",
                place=world,
                remedy="give one size a field",
            )
        self.count = 1
        for size in self.sizes:
            self.count *= size
        if self.count > LARGEST_CODE:
            raise BadValue(f"{self.count} possible states", place=world, remedy="draw a smaller map")

    def columns(self, states: Mapping[Any, float] | Sequence[Any]) -> Any:
        """A NamedTuple of arrays from states given one by one."""
        table = np.array([tuple(state) for state in states], dtype=np.int64).reshape(-1, len(self.sizes))
        return self.kind(*table.T)

    def encode(self, state: Any) -> Codes:
        """int64 codes of a NamedTuple of arrays; ContractBroken where a field leaves its range."""
        length = max(np.size(field) for field in state)
        code = np.zeros(length, dtype=np.int64)
        for name, field, size in zip(self.kind._fields, state, self.sizes, strict=True):
            values = np.asarray(field, dtype=np.int64)
            if values.size and (values.min() < 0 or values.max() >= size):
                raise ContractBroken(
                    f"field '{name}' leaves 0 .. {size - 1}", place=self.world, remedy="raise its size or mend step()"
                )
            code = code * size + values
        return code

    def decode(self, codes: Codes) -> Any:
        """A NamedTuple of int64 arrays."""
        fields = []
        left = codes
        for size in reversed(self.sizes):
            left, field = np.divmod(left, size)
            fields.append(field)
        return self.kind(*reversed(fields))


class ColumnStates(Sequence[Any]):
    """The states of a table as codes: a million of them take eight megabytes."""

    def __init__(self, codec: Codec, codes: Codes) -> None:
        self.codec, self.codes = codec, codes

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        state = self.codec.decode(self.codes[number : number + 1] if number >= 0 else self.codes[[number]])
        return self.codec.kind(*(int(field[0]) for field in state))

    def columns(self) -> Any:
        """All states as a NamedTuple of int64 arrays."""
        return self.codec.decode(self.codes)


class ColumnIndex(Mapping[Any, int]):
    """State -> number, through the dense array of codes."""

    def __init__(self, states: ColumnStates, number_of: Integers) -> None:
        self._states, self._number_of = states, number_of

    def __getitem__(self, state: Any) -> int:
        codec = self._states.codec
        if not all(0 <= field < size for field, size in zip(state, codec.sizes, strict=True)):
            raise KeyError(state)
        number = int(self._number_of[codec.encode(codec.columns([state]))[0]])
        if number < 0:
            raise KeyError(state)
        return number

    def numbers(self, columns: Any) -> Integers:
        """int32 numbers of many states at once, -1 for those that are not in the table."""
        return self._number_of[self._states.codec.encode(columns)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)
