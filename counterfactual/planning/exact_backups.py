"""Backups in fractions, for many pairs of a state and an action: those whose outcomes are alike share one.

    Q(s, a) = E[ R + discount V(s') ]

In a sweep most rows do the same at most steps, so that a handful of backups serves a hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from counterfactual.columns import Column


class OutcomeColumns(NamedTuple):
    """One outcome of n pairs: its weight, its reward in units, and the place of the next state's value in a list."""

    weight: Column
    reward: Column
    later: Column


class Backups(NamedTuple):
    """of_pair: by pair, the place of its value in `values`."""

    of_pair: list[int]
    values: list[Fraction]


def exact_backups(
    outcomes: Sequence[OutcomeColumns],
    kind: Column,
    reward_of: Callable[[int, int, int], Fraction],
    discount: Fraction,
    later: Sequence[Fraction],
) -> Backups:
    """The values of n pairs, exactly.

    outcomes: all that may come of them; weights are proportional to probabilities, 0 where one is impossible. kind:
    int64[n], what else their rewards depend on. reward_of: (kind, place of the outcome, reward in units) -> the reward.
    later: V(s').
    """
    alike: dict[tuple[int, ...], int] = {}
    keys = zip(kind.tolist(), *(each.tolist() for outcome in outcomes for each in outcome), strict=True)
    of_pair = [alike.setdefault(key, len(alike)) for key in keys]
    values = [_backup(key, reward_of, discount, later) for key in alike]
    return Backups(of_pair, values)


def _backup(
    key: tuple[int, ...],
    reward_of: Callable[[int, int, int], Fraction],
    discount: Fraction,
    later: Sequence[Fraction],
) -> Fraction:
    kind, total, value = key[0], 0, Fraction(0)
    possible = [place for place in range(len(key) // 3) if key[1 + 3 * place]]
    for place in possible:
        weight, units, following = key[1 + 3 * place : 4 + 3 * place]
        outcome = discounted(reward_of(kind, place, units), discount, later[following])
        if len(possible) == 1:
            return outcome
        value, total = value + weight * outcome, total + weight
    return value / total


def discounted(reward: Fraction, discount: Fraction, later: Fraction) -> Fraction:
    """reward + discount * later, brought to lowest terms once: half the time of a product and then a sum."""
    below = discount.denominator * later.denominator
    above = reward.numerator * below + reward.denominator * discount.numerator * later.numerator
    return Fraction(above, reward.denominator * below)
