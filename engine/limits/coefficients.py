"""Weights of rewards, such as the caring coefficient: finite, and not so large that a weighted reward overflows."""

from __future__ import annotations

from engine.errors import BadValue

LARGEST = 1e300


def require_coefficient(value: float, name: str, place: str = "") -> float:
    """The coefficient; BadValue, naming it, where it is no number from -`LARGEST` to `LARGEST`.

    name: such as "care". place: what asked for it, by default the name.
    """
    if not -LARGEST <= float(value) <= LARGEST:
        remedy = f"choose a finite number from {-LARGEST:g} to {LARGEST:g}"
        raise BadValue(f"{name} {value}", place=place or name, remedy=remedy)
    return value
