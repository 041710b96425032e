"""Weights of rewards, such as the caring coefficient: neither so large nor so small that weighted rewards are lost."""

from __future__ import annotations

from engine.errors import BadValue

LARGEST, SMALLEST = 1e300, 1e-300


def require_coefficient(value: float, name: str, place: str = "") -> float:
    """The coefficient; BadValue, naming it, where it is not a number from -`LARGEST` to `LARGEST`, or nearer to 0 than
    `SMALLEST` without being 0.

    name: such as "care". place: what asked for it.
    """
    if not -LARGEST <= float(value) <= LARGEST:
        remedy = f"choose a finite number from {-LARGEST:g} to {LARGEST:g}"
        raise BadValue(f"{name} is {value}", place=place, remedy=remedy)
    if 0 < abs(value) < SMALLEST:
        raise BadValue(f"{name} is {value}", place=place, remedy=f"choose 0, or {SMALLEST:g} and more")
    return value
