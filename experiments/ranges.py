"""Ranges of caring coefficients and seeds as users write them: "0:7:0.01", "0,1,5", "2.5"; seeds "10", "1,2,3", "0:10".

start:stop:step as in Python, the stop left out; numbers are read as decimals, so 0.1 steps stay 0.1 steps.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation

from engine.errors import BadValue

LARGEST = 1_000_000
SEEDS = "write a count such as 10, a list such as 1,2,3 or a range such as 0:10"


def care_range(text: str, place: str = "--care") -> tuple[float, ...]:
    """The coefficients a text means, in its order; BadValue where it is empty, endless, not finite or no number."""
    if ":" not in text:
        return tuple(_float(_decimal(word, text, place), text, place) for word in text.split(","))
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise _bad(text, "is no range", place)
    start, stop, *rest = (_decimal(part, text, place) for part in parts)
    step = rest[0] if rest else Decimal(1)
    if step == 0:
        raise _bad(text, "has step 0", place)
    count = int(((stop - start) / step).to_integral_value(rounding="ROUND_CEILING"))
    if count <= 0:
        raise _bad(text, "is empty", place)
    if count > LARGEST:
        raise _bad(text, f"has {count} values, more than {LARGEST}", place)
    return tuple(_float(start + i * step, text, place) for i in range(count))


def _float(number: Decimal, text: str, place: str) -> float:
    if math.isinf(value := float(number)):
        raise _bad(text, "is beyond the numbers that can be computed with", place)
    return value


def _decimal(word: str, text: str, place: str) -> Decimal:
    try:
        number = Decimal(word.strip())
    except InvalidOperation as error:
        raise _bad(text, f"names '{word}' and not a number" if word.strip() else "has an empty place", place) from error
    if not number.is_finite():
        raise _bad(text, "is not finite", place)
    return number


def _bad(text: str, fault: str, place: str) -> BadValue:
    return BadValue(f"'{text}' {fault}", place=place, remedy="write start:stop:step or numbers joined by commas")


def seed_range(text: str, place: str = "--seeds") -> tuple[int, ...]:
    """The seeds a text means: "10" is how many, counted from 0; "1,2,3" a list; "0:10" a range, the stop left out."""
    if "," not in text and ":" not in text:
        count = _seed(text, place)
        if count < 1:
            raise BadValue(f"{count} seeds", place=place, remedy="use at least one")
        if count > LARGEST:
            raise BadValue(f"{count} seeds", place=place, remedy=f"use at most {LARGEST}")
        return tuple(range(count))
    if ":" in text and len(text.split(":")) in (2, 3):
        numbers = [_seed(word, place) for word in text.split(":")]
        if len(numbers) == 3 and numbers[2] == 0:
            raise BadValue(f"'{text}' has step 0", place=place, remedy=SEEDS)
        start, stop, step = (*numbers, 1)[:3]
        count = max(-((start - stop) // step), 0)
        if not 1 <= count <= LARGEST:
            raise BadValue(f"'{text}' has {count} seeds", place=place, remedy=f"give 1 to {LARGEST}")
        return tuple(range(start, stop, step))
    return tuple(dict.fromkeys(_seed(word, place) for word in text.split(",")))


def _seed(word: str, place: str) -> int:
    if not word.strip():
        raise BadValue("an empty place in a list of seeds", place=place, remedy=SEEDS)
    try:
        seed = int(word)
    except ValueError:
        shown = word.strip() if len(word) <= 40 else f"{word.strip()[:40]}..."
        raise BadValue(f"'{shown}' is no whole number", place=place, remedy=SEEDS) from None
    if not -(2**63) <= seed < 2**64:
        problem = f"a seed of {len(word.strip())} digits"
        raise BadValue(problem, place=place, remedy="choose whole numbers from -2^63 to 2^64 - 1")
    return seed
