"""Columns: many states at once, a NamedTuple of integer arrays with one entry a state; their codes; worlds' answers.

Every answer of a user's method is checked where it is first read; a message names the file, the class and the method.

Independent events are several things that may each happen or not. What follows is listed only as far as it is asked
for:

    P(those that happen) = prod over happening p_i * prod over the others (1 - p_i)

k events have 2^k outcomes. A table needs them all; whoever follows one course of events needs one of them.

The code of a state of small integers is the mixed-radix number of its fields over their sizes (`Codec`). A million
states take eight megabytes, and a dense array leads from a code to a state's number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from engine.contracts import read_array
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.user_code import describe_place

NOTHING = "none"


class Event(NamedTuple):
    """Something that may happen. name: a word. probability: a number or f64[n]. change: states -> states if it does."""

    name: str
    probability: Any
    change: Callable[[Any], Any]


class IndependentEvents(Sequence[tuple[Any, Any, str]]):
    """What a step may give where it depends on independent events: (probability, next states, outcome).

    state: the next states if nothing happens. events: those that may, with different names. An outcome is called by the
    events that happen, joined by "+", in their order; "none" where there are none of them.
    """

    def __init__(self, state: Any, events: Sequence[Event]) -> None:
        self.state, self.events = state, tuple(events)

    def __len__(self) -> int:
        return int(2 ** len(self.events))

    @overload
    def __getitem__(self, number: int) -> tuple[Any, Any, str]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[Any, Any, str]]: ...
    def __getitem__(self, number: int | slice) -> tuple[Any, Any, str] | list[tuple[Any, Any, str]]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        return self.outcome([bool(number >> n & 1) for n in range(len(self.events))])

    def outcome(self, happens: Sequence[bool]) -> tuple[Any, Any, str]:
        """Return the outcome in which these events happen and the others do not."""
        probability: Any = 1.0
        state = self.state
        for event, happening in zip(self.events, happens, strict=True):
            probability = probability * (event.probability if happening else 1.0 - event.probability)
            state = event.change(state) if happening else state
        names = [event.name for event, happening in zip(self.events, happens, strict=True) if happening]
        return probability, state, "+".join(names) or NOTHING


CERTAIN = 1e-9
MOST_BRANCHES = 1024


class Branch(NamedTuple):
    """One way in which chance may decide: its probability, f64[n], and the states then, a NamedTuple of int64[n].

    name: the outcome's, "" where it has none.
    """

    probability: Floats
    state: Any
    name: str = ""


def read_state_columns(given: Any, count: int, owner: Any, method: str) -> Any:
    """What a method gave as a NamedTuple of int64[count]; ContractBroken, naming the field, where it is no such thing.

    given: a NamedTuple of integer (or boolean) arrays [count]. owner, method: whose it is, for messages.
    """
    if not hasattr(given, "_fields"):
        raise ContractBroken(
            f"{method} gave {type(given).__name__}",
            place=describe_place(owner),
            remedy="expected a NamedTuple of columns",
        )
    return type(given)(*(_read_column(getattr(given, name), count, name, owner, method) for name in given._fields))


def read_branches(given: Any, count: int, owner: Any, method: str, asked: Booleans | None = None) -> list[Branch]:
    """Return what a method gave as branches: one that is certain for a NamedTuple of columns, else the pairs listed.

    given: a NamedTuple of columns, or a list of pairs (probability, NamedTuple of columns), a probability being a
    number or one for each of the states; the name of the outcome may come third. asked: bool[count], the states for
    which the answer counts, all by default. Raises ContractBroken where it is neither, where probabilities are negative
    or do not sum to 1, or where two outcomes have one name; BadValue for more than MOST_BRANCHES.
    """
    if hasattr(given, "_fields"):
        return [Branch(np.broadcast_to(np.float64(1.0), (count,)), read_state_columns(given, count, owner, method))]
    pairs = given if isinstance(given, list | tuple | IndependentEvents) else ()
    if len(pairs) > MOST_BRANCHES:
        remedy = "choose a world in which less is left to chance"
        raise BadValue(f"{method} has {len(pairs):,} outcomes", place=describe_place(owner), remedy=remedy)
    if not pairs or not all(isinstance(pair, tuple) and len(pair) in (2, 3) for pair in pairs):
        raise ContractBroken(
            f"{method} gave {type(given).__name__}",
            place=describe_place(owner),
            remedy="expected a NamedTuple of columns, or a list of pairs (probability, NamedTuple of columns)",
        )
    result = []
    for probability, state, *named in pairs:
        chance = read_number_column(probability, count, owner, f"{method} probability", "iuf", "number from 0 to 1")
        result.append(Branch(chance.astype(np.float64), read_state_columns(state, count, owner, method), *named))
    _check_names([branch.name for branch in result if branch.name], owner, method)
    counted = np.ones(count, dtype=np.bool_) if asked is None else asked
    _check_probabilities(np.stack([branch.probability for branch in result])[:, counted], owner, method)
    return result


def read_number_column(given: Any, count: int, owner: Any, method: str, kinds: str, expected: str) -> NDArray[Any]:
    """Return what a method gave as an array [count], of a number or of one a state; ContractBroken where it is neither.

    kinds: numpy's letters of the kinds that are allowed. expected: one such number, in words.
    """
    array = given if type(given) is np.ndarray else read_array(given)
    if array.dtype.kind not in kinds or array.shape not in ((), (count,)):
        shown = f"an array of {array.dtype} of shape {array.shape}" if array.ndim else repr(given)
        raise ContractBroken(
            f"{method} gave {shown}",
            place=describe_place(owner),
            remedy=f"expected one {expected}, or a column of {count}",
        )
    return array if array.shape else np.broadcast_to(array, (count,))


def protect_columns(columns: Any) -> Any:
    """Return the same columns, protected: rules that write into a state instead of giving a new one raise."""
    for field in columns:
        field.setflags(write=False)
    return columns


def _check_probabilities(chances: Floats, owner: Any, method: str) -> None:
    """Refuse columns of probabilities, f64[branches, n], that are not distributions."""
    outside = ~((chances >= 0.0) & (chances <= 1.0 + CERTAIN))
    total = chances.sum(axis=0)
    unsure = ~(np.abs(total - 1.0) <= CERTAIN)
    problem = ""
    if outside.any():
        problem = f"the probability {chances[outside][0]:g}"
    elif unsure.any():
        problem = f"probabilities that sum to {total[unsure][0]:.12g}"
    if problem:
        raise ContractBroken(
            f"{method} gave {problem}", place=describe_place(owner), remedy="give numbers from 0 to 1 that sum to 1"
        )


def _check_names(names: list[Any], owner: Any, method: str) -> None:
    """Refuse names of outcomes that are not words, or not different."""
    seen = set[str]()
    for name in names:
        if not isinstance(name, str) or name in seen or set(name) & set(", "):
            problem = f"{method} gave the outcome {name!r}" + (" twice" if name in seen else "")
            raise ContractBroken(
                problem, place=describe_place(owner), remedy="give different words without blanks or commas"
            )
        seen.add(name)


def _read_column(field: Any, count: int, name: str, owner: Any, method: str) -> Any:
    column = field if type(field) is np.ndarray else read_array(field)
    if column.dtype.kind not in "iub":
        problem = f"field '{name}' of type {column.dtype}"
    elif column.shape == ():
        problem = f"the constant {field} for field '{name}'"
    elif column.shape != (count,):
        problem = f"field '{name}' of shape {column.shape} for {count} states"
    else:
        return column.astype(np.int64, copy=False)
    raise ContractBroken(
        f"{method} gave {problem}",
        place=describe_place(owner),
        remedy="expected a column of integers, one entry a state",
    )


LARGEST_CODE = 2**28
Codes = NDArray[np.int64]


class Codec:
    """States <-> codes: the last field varies fastest. world: whose states these are, for messages."""

    def __init__(self, kind: type[Any], sizes: Sequence[int], world: Any) -> None:
        self.kind = kind
        self.sizes = tuple(int(size) for size in sizes)
        self.world = world
        names = getattr(kind, "_fields", ())
        if len(names) != len(self.sizes):
            raise ContractBroken(
                f"{len(self.sizes)} sizes for the {len(names)} fields of {kind.__name__}",
                place=describe_place(world),
                remedy="give one size for each field",
            )
        self.count = math.prod(self.sizes)
        self._strides = [math.prod(self.sizes[field + 1 :]) for field in range(len(self.sizes))]
        if self.count > LARGEST_CODE:
            raise BadValue(f"{self.count} possible states", place=describe_place(world), remedy="draw a smaller map")

    def columns(self, states: Mapping[Any, float] | Sequence[Any]) -> Any:
        """Return a NamedTuple of arrays from states of plain integers given one by one."""
        table = np.array([tuple(state) for state in states], dtype=np.int64).reshape(-1, len(self.sizes))
        return self.kind(*table.T)

    def encode(self, state: Any, method: str = "step", before: Any = None, codes: Codes | None = None) -> Codes:
        """int64 codes of a NamedTuple of arrays; ContractBroken, naming the method, where a field leaves its range.

        before, codes: states and their codes; a field that is theirs, the same array, is in both and costs nothing.
        """
        code = np.zeros(max(np.size(field) for field in state), dtype=np.int64) if codes is None else codes.copy()
        known = [None] * len(self.sizes) if codes is None else before
        for name, field, size, stride, old in zip(
            self.kind._fields, state, self.sizes, self._strides, known, strict=True
        ):
            if field is old:
                continue
            values = np.asarray(field, dtype=np.int64)
            if values.size and values.view(np.uint64).max() >= size:  # a number below 0 is a large one there
                raise ContractBroken(
                    f"{method} gave {values.min()} to {values.max()} in field '{name}'",
                    place=describe_place(self.world),
                    remedy=f"its size is {size}: give 0 to {size - 1}",
                )
            code += stride * (values if old is None else values - old)
        return code

    def decode(self, codes: Codes) -> Any:
        """Return a NamedTuple of int64 arrays."""
        fields = []
        left = codes
        for size in reversed(self.sizes):
            left, field = np.divmod(left, size)
            fields.append(field)
        return self.kind(*reversed(fields))


class ColumnStates(Sequence[Any]):
    """The states of a table as codes."""

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
        """Return all states as a NamedTuple of int64 arrays."""
        return self.codec.decode(self.codes)


class ColumnIndex(Mapping[Any, int]):
    """State -> number, through the dense array of codes, int32[codes], -1 for those that are not in the table."""

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

    def numbers(self, columns: Any, method: str = "step") -> Integers:
        """int32 numbers of many states at once, -1 for those that are not in the table. method: whose, for messages."""
        return self._number_of[self._states.codec.encode(columns, method)]

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.fromkeys(self._states))

    def __len__(self) -> int:
        return int((self._number_of >= 0).sum())
