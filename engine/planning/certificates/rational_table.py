"""A table in fractions: every stored number is read as the fraction that was meant (`as_fraction`).

Rows of probabilities must then sum to exactly 1, as .8 + .1 + .1 or three times 1/3 do. A table with other rows, with
numbers of many digits, or a large one has no fractions (None): its returns get bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, Integers, TabularMDP
from engine.planning.certificates.interval import as_fraction

MOST_STEPS = 600_000
MOST_DENOMINATOR = 10**12
ROUNDED = 4  # units in the last place that 1 - .2 - .1 may be off
Whole = NDArray[Any]  # Python's integers, of any size


@dataclass(frozen=True)
class RationalTable:
    """Whole numbers over common denominators.

    next_state: int32[S, A, K]. allowed: bool[S, A], the actions that count; a state without any is terminal. chance:
    whole[S, A, K], probabilities times `chance_unit`. rewards: whole[S, A] each, expected rewards times `reward_unit`.
    discount: gamma.
    """

    next_state: Integers
    allowed: Booleans
    chance: Whole
    chance_unit: int
    rewards: tuple[Whole, ...]
    reward_unit: int
    discount: Fraction

    def states(self) -> list[int]:
        """The states that are not terminal."""
        return [int(state) for state in np.flatnonzero(self.allowed.any(axis=1))]


def rational_table(mdp: TabularMDP, allowed: Booleans, rewards: tuple[Floats, ...]) -> RationalTable | None:
    """The states and actions of a table, with several rewards f64[S, A, K], in fractions; None where there are none.

    allowed: bool[S, A], the actions that count, none in states that count as terminal.
    """
    if mdp.next_state.size > MOST_STEPS:
        return None
    discount = as_fraction(mdp.discount)
    chances = _chances(mdp.probability * allowed[:, :, None])
    amounts = [_fractions(reward * (mdp.probability > 0) * allowed[:, :, None]) for reward in rewards]
    if discount is None or chances is None or any(amount is None for amount in amounts):
        return None
    chance_unit, (chance,) = _whole([chances])
    reward_unit, wholes = _whole([amount for amount in amounts if amount is not None])
    if chance_unit > MOST_DENOMINATOR:
        return None
    expected = tuple((chance * whole).sum(axis=2) for whole in wholes)
    return RationalTable(mdp.next_state, allowed, chance, chance_unit, expected, reward_unit * chance_unit, discount)


def means_stored_discount(mdp: TabularMDP) -> bool:
    """Whether the discount that was meant is the stored number itself, as 1/2 is, and .9999 is not."""
    return as_fraction(mdp.discount) in (None, Fraction(mdp.discount))


def _fractions(numbers: Floats) -> tuple[list[Fraction], NDArray[np.int64]] | None:
    """The different fractions of an array, and which of them stands where; None where a number is not a fraction."""
    different, where = np.unique(numbers, return_inverse=True)
    fractions = [as_fraction(number) for number in different.tolist()]
    found = [fraction for fraction in fractions if fraction is not None]
    return (found, where.reshape(numbers.shape)) if len(found) == len(fractions) else None


def _chances(probability: Floats) -> tuple[list[Fraction], NDArray[np.int64]] | None:
    """The same for rows of probabilities, each of which sums to 1 or is 0."""
    rows, which = np.unique(probability.reshape(-1, probability.shape[2]), axis=0, return_inverse=True)
    read = [_row(row) for row in rows.tolist()]
    if any(row is None for row in read):
        return None
    flat = [chance for row in read if row is not None for chance in row]
    where = which.reshape(-1)[:, None] * probability.shape[2] + np.arange(probability.shape[2])
    return flat, where.reshape(probability.shape)


def _row(numbers: list[float]) -> list[Fraction] | None:
    """Probabilities that sum to 1; the largest one takes what is left where that rounds to it."""
    chances = [as_fraction(number) for number in numbers]
    if not any(numbers):
        return [Fraction(0) for _ in numbers]
    largest = max(range(len(numbers)), key=numbers.__getitem__)
    others = [chance for n, chance in enumerate(chances) if n != largest]
    known = [chance for chance in others if chance is not None]
    left = 1 - sum(known, Fraction(0))
    if len(known) < len(others) or abs(left - Fraction(numbers[largest])) > ROUNDED * Fraction(
        math.ulp(numbers[largest])
    ):
        return None
    return [*known[:largest], left, *known[largest:]]


def _whole(arrays: list[tuple[list[Fraction], NDArray[np.int64]]]) -> tuple[int, list[Whole]]:
    """Arrays of fractions over their common denominator."""
    unit = math.lcm(*(fraction.denominator for fractions, _ in arrays for fraction in fractions))
    return unit, [
        np.array([int(fraction * unit) for fraction in fractions], dtype=object)[where] for fractions, where in arrays
    ]
