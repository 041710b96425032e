"""A question with a number in it, which the page answers at every value: what is done, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from engine.scene import Strip


class SweepAnswer(NamedTuple):
    """What happens at one value of a quantity.

    does: the behaviour in a few words. numbers: name -> a number at this value; between two break points a polynomial
    of the quantity. strips: what is done turn by turn, a strip called
    "group: row" where several make a group. ways: name -> steps on a map, as `steps_data` writes them.
    series: name -> a number after every turn. All but the numbers is the behaviour: a break point is where it changes.
    """

    does: str
    numbers: Mapping[str, Fraction]
    strips: tuple[Strip, ...] = ()
    ways: Mapping[str, list[dict[str, Any]]] = {}
    series: Mapping[str, list[float]] = {}

    @property
    def behaviour(self) -> tuple[Any, ...]:
        """What must be the same from one break point to the next."""
        return self.does, self.strips, self.ways, self.series


class LiveSweep(NamedTuple):
    """A question that the page shows live.

    label: its name among several. quantity: what is moved, from low to high. answer: what happens at a value of it.
    parts: equal parts in which break points are looked for; two within one part are found where a third behaviour lies
    between them. measure: what its numbers are. legend: what the signs mean. rows, features: the map of the
    ways, and the name of each glyph drawn on it.
    """

    label: str
    quantity: str
    low: Fraction
    high: Fraction
    answer: Callable[[Fraction], SweepAnswer]
    measure: str
    legend: str
    parts: int = 32
    rows: tuple[str, ...] = ()
    features: Mapping[str, str] = {}
