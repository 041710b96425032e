"""States of small integers as codes: the mixed-radix number of a state's fields over their sizes.

A million states take eight megabytes, and a dense array leads from a code to a state's number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Integers
from engine.user_code import place_of

LARGEST_CODE = 2**28
Codes = NDArray[np.int64]


class Codec:
    """States <-> codes: the last field varies fastest. world: whose states these are, for messages."""

    def __init__(self, kind: type[Any], sizes: Sequence[int], world: Any) -> None:
        self.kind, self.sizes, self.world = kind, tuple(int(size) for size in sizes), world
        names = getattr(kind, "_fields", ())
        if len(names) != len(self.sizes):
            raise ContractBroken(
                f"{len(self.sizes)} sizes for the {len(names)} fields of {kind.__name__}",
                place=place_of(world),
                remedy="give one size for each field",
            )
        self.count = math.prod(self.sizes)
        self._strides = [math.prod(self.sizes[field + 1 :]) for field in range(len(self.sizes))]
        if self.count > LARGEST_CODE:
            raise BadValue(f"{self.count} possible states", place=place_of(world), remedy="draw a smaller map")

    def columns(self, states: Mapping[Any, float] | Sequence[Any]) -> Any:
        """A NamedTuple of arrays from states of plain integers given one by one."""
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
                    place=place_of(self.world),
                    remedy=f"its size is {size}: give 0 to {size - 1}",
                )
            code += stride * (values if old is None else values - old)
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
        """All states as a NamedTuple of int64 arrays."""
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
