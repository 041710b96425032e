"""The bounds of the numbers that users give: whole numbers of each kind, and weights of rewards.

An annotation such as `seed: Seed` says which numbers a command's option or a function's parameter takes: commands
read them, Python functions check them. Weights of rewards, such as the caring coefficient, are neither so large nor
so small that weighted rewards are lost.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated, Any

from engine.errors import BadValue
from engine.printable import show_value

LONGEST_SHOWN = 40


@dataclass(frozen=True)
class WholeNumbers:
    """The whole numbers from `least` to `most`."""

    least: int
    most: int

    def admit(self, value: Any) -> bool:
        """Whether a value is one of them, of Python's or numpy's kind; True and False are none."""
        try:
            return not isinstance(value, bool) and self.least <= operator.index(value) <= self.most
        except Exception:  # it is none, or its class is a user's own
            return False

    def __str__(self) -> str:
        return f"{write_whole_number(self.least)} to {write_whole_number(self.most)}"


def show_whole_number(value: Any) -> str:
    """What was given where a whole number was expected, for messages."""
    try:
        return write_whole_number(operator.index(value))
    except Exception:  # it is none, or its class is a user's own
        return show_value(value, LONGEST_SHOWN)


def write_whole_number(number: int) -> str:
    """A whole number for messages, never long: "100", "2^63 - 1", "a number of 31 digits"."""
    for power in (64, 63):
        for base, text in ((2**power, f"2^{power}"), (-(2**power), f"-2^{power}")):
            if number in (base, base - 1):
                return text if number == base else f"{text} - 1"
    if abs(number) < 10**LONGEST_SHOWN:
        return str(number)
    return f"a number of about {count_decimal_digits(number)} digits"


def count_decimal_digits(number: int) -> int:
    """How many digits a whole number has, or one more, without writing them."""
    return int(number.bit_length() * 0.30103) + 1


ANY = WholeNumbers(-(2**63), 2**64 - 1)
"""64 bits, with a sign or without: what no other bounds are known of."""
SEEDS = WholeNumbers(0, 2**63 - 1)
TURNS = WholeNumbers(1, 10**9)
STEPS = WholeNumbers(1, 10**10)
HORIZONS = WholeNumbers(0, 10**9)
HISTORY_TURNS = WholeNumbers(1, 1000)
"""Turns of the formal theory, whose work grows with their square or faster."""
FRAMES = WholeNumbers(1, 100_000)

Seed = Annotated[int, SEEDS]
Turns = Annotated[int, TURNS]
HistoryTurns = Annotated[int, HISTORY_TURNS]
Steps = Annotated[int, STEPS]
"""Steps of learning."""
Horizon = Annotated[int, HORIZONS]
Frames = Annotated[int, FRAMES]
TileSize = Annotated[int, WholeNumbers(4, 256)]
"""The width of a cell in a picture."""
Milliseconds = Annotated[int, WholeNumbers(1, 60_000)]
Episodes = Annotated[int, WholeNumbers(1, 10**12)]
Samples = Annotated[int, WholeNumbers(2, 100_000)]
Utilities = Annotated[int, WholeNumbers(1, 1000)]
Rounds = Annotated[int, WholeNumbers(1, 10_000)]
"""Rounds of best responses."""
Maps = Annotated[int, WholeNumbers(1, 1000)]
"""Random maps of each world."""
Workers = Annotated[int, WholeNumbers(1, 10_000)]
Listed = Annotated[int, WholeNumbers(1, 1_000_000)]
"""How many of something to list at most."""

HEAVIEST, LIGHTEST = 1e300, 1e-300


def require_coefficient(value: float, name: str, place: str = "") -> float:
    """The coefficient; BadValue, naming it, where it is not a number from -`HEAVIEST` to `HEAVIEST`, or nearer to 0 than
    `LIGHTEST` without being 0.

    name: such as "care". place: what asked for it.
    """
    if not -HEAVIEST <= float(value) <= HEAVIEST:
        remedy = f"choose a finite number from {-HEAVIEST:g} to {HEAVIEST:g}"
        raise BadValue(f"{name} is {value}", place=place, remedy=remedy)
    if 0 < abs(value) < LIGHTEST:
        raise BadValue(f"{name} is {value}", place=place, remedy=f"choose 0, or {LIGHTEST:g} and more")
    return value
