"""The whole numbers that a run may be given: turns and keys, each within bounds that the loop and its sources hold."""

from __future__ import annotations

import operator
from typing import Any

from engine.errors import BadValue

MOST_TURNS = 1_000_000_000
LEAST_KEY, GREATEST_KEY = -(2**63), 2**64 - 1


def require_turns(turns: Any) -> int:
    """The number of turns; BadValue unless it is a whole number from 1 to `MOST_TURNS`."""
    count = _whole(turns)
    if count is None or count < 1:
        raise BadValue(f"{turns} turns", remedy="run a whole number of turns, at least 1")
    if count > MOST_TURNS:
        raise BadValue(f"{turns} turns", remedy=f"run at most {MOST_TURNS}")
    return count


def require_key(key: Any, name: str = "key") -> int:
    """The key or seed; BadValue unless it is a whole number of 64 bits, signed or not."""
    number = _whole(key)
    if number is None or not LEAST_KEY <= number <= GREATEST_KEY:
        raise BadValue(f"{name} {key!r}", remedy="choose a whole number from -2^63 to 2^64 - 1")
    return number


def _whole(value: Any) -> int | None:
    """Python's integer, or None where the value is no whole number."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
