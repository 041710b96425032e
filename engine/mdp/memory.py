"""What a table takes in memory, and refusal of one that would not fit, or of more states than asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from engine.errors import BadValue
from engine.user_code import place_of

BYTES = 110  # a state, action and outcome, from enumeration to the end of planning; measured by benchmarks/scaling.py
UNSURE = 2.0
LIMIT_FILE = Path("/sys/fs/cgroup/memory.max")


def available_bytes() -> float:
    """The machine's memory, or the limit of the container; infinite where neither can be read."""
    try:
        total = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
    try:
        return min(total, float(LIMIT_FILE.read_text()))
    except (OSError, ValueError):
        return total


def require_at_most(most: int | None, states: int, world: Any) -> None:
    """BadValue where more states have been found than there may be. most: None for no bound."""
    if most is not None and states > most:
        remedy = "draw a smaller map, or ask for what takes less"
        raise BadValue(f"more than {most:,} states", place=place_of(world), remedy=remedy)


def require_memory(states: int, actions: int, outcomes: int, world: Any) -> None:
    """BadValue where a table of at least so many states would not fit. world: whose table it is, for the message."""
    needed, there = float(states) * actions * outcomes * BYTES, available_bytes()
    if needed > there:
        raise _too_large(f"at least {states:,} states", needed, there, world)


def require_memory_for_about(states: int, actions: int, outcomes: int, world: Any) -> None:
    """BadValue where a table of about so many states would not fit by far: by a factor of UNSURE."""
    needed, there = float(states) * actions * outcomes * BYTES, available_bytes()
    if needed > UNSURE * there:
        raise _too_large(f"about {states:,} states", needed, there, world)


def _too_large(states: str, needed: float, there: float, world: Any) -> BadValue:
    return BadValue(
        f"{states} take {needed / 2**30:.1f} GiB of memory, and there are {there / 2**30:.1f}",
        place=place_of(world),
        remedy="draw a smaller map",
    )
