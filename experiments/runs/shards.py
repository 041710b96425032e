"""Shards of a grid: each is computed by a job that knows nothing of the others, and all write into one directory.

    --shard I/N     the I-th of N shards, I from 1 to N

Units are dealt in random order, the same everywhere: shard I gets every N-th unit, from the I-th on. So shards have no
unit in common, and their sizes differ by at most one. In the grid's own order a shard could get all units of one value,
such as those of the slowest agent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from engine.value_types import ValueType

MOST = 1_000_000
_WRITTEN = re.compile(r"([0-9]{1,7})/([0-9]{1,7})")


class Shard(NamedTuple):
    """The shard of a number, from 1 on, of so many."""

    number: int
    shards: int

    def deal(self, units: int) -> Sequence[int]:
        """Return the places of its units in a grid of so many, ascending."""
        from engine.randomness.counter_based import bits, split

        if self.shards == 1:
            return range(units)
        key = split(0, "shards")
        shuffled = sorted(range(units), key=lambda place: bits(key, place))
        return sorted(shuffled[self.number - 1 :: self.shards])

    def __str__(self) -> str:
        return f"{self.number}/{self.shards}"


WHOLE = Shard(1, 1)


def read_shard(text: str) -> Shard:
    """Return the shard that a text such as "3/8" names; ValueError where it names none."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MOST:
        raise ValueError(text)
    return Shard(int(found[1]), int(found[2]))


def _admit(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(read_shard(value))
    except ValueError:
        return False


def _check(text: str) -> str:
    read_shard(text)
    return text


_WORDS = f"I/N, such as 3/8: I from 1 to N, N from 1 to {MOST:,}"
ShardText = Annotated[str, ValueType(_WORDS, _admit, _check, "I/N", {"type": "string"})]
