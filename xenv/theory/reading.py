"""Plays and natural numbers as people write them: "0,0,1;-1/2,0,1" is a play of two turns."""

from __future__ import annotations

from fractions import Fraction

from engine.errors import BadValue
from engine.limits.exact_numbers import MOST_DIGITS, parse_rational
from engine.printable import shortened
from xenv.theory.histories import Play


def read_play(text: str) -> Play:
    """The play that a text writes, turns joined by ";" and their entries by ","; BadValue for anything else."""
    entries: list[object] = []
    for turn in filter(None, text.split(";")):
        numbers = turn.split(",")
        if len(numbers) != 3:
            raise BadValue(f"'{turn}' is not a turn", place="play", remedy="write reward,observation,action;...")
        reward, *naturals = numbers
        entries += [parse_rational(reward, "reward"), *(read_natural(number) for number in naturals)]
    return Play(entries)


def exact_reward(reward: float) -> Fraction:
    """A practical agent's reward as a fraction: exactly what the float is."""
    return Fraction(reward)


def read_natural(text: str) -> int:
    """The natural number that a text writes; BadValue for anything else."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > MOST_DIGITS:
        remedy = f"write at most {MOST_DIGITS:,} digits"
        raise BadValue(f"'{shortened(text, 40)}' is not a natural number", remedy=remedy)
    return int(digits)
