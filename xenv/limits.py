"""The whole numbers that a run may be given: turns and keys, each within bounds that the loop and its sources hold."""

from __future__ import annotations

import operator
from typing import Any

from engine.errors import BadValue
from engine.limits.whole_numbers import ANY, TURNS, shown


def require_turns(turns: Any) -> int:
    """The number of turns; BadValue unless it is a whole number within `TURNS`."""
    if not TURNS.admit(turns):
        raise BadValue(f"{shown(turns)} turns", remedy=f"run a whole number of turns from {TURNS}")
    return operator.index(turns)


def require_key(key: Any, name: str = "key") -> int:
    """The key or seed; BadValue unless it is a whole number of 64 bits, signed or not."""
    if not ANY.admit(key):
        raise BadValue(f"{name} {shown(key)}", remedy=f"choose a whole number from {ANY}")
    return operator.index(key)
