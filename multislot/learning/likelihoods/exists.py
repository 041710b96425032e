"""The probability that some slot holds an agent with the history: slot sets are followed, the empty one is dropped.

    L(h) = sum over non-empty sets D of slots of  nu(D is the set of slots with history h)

Each slot of the set draws its outcome on its own; those of its copies that see the observation make up the next set.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from multislot.learning.likelihood import LawOf, Likelihood, LikelihoodMeasure
from multislot.worlds.environment import Label, Slot


def start(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """All initial slots have the empty history."""
    return ((initial, Fraction(1)),)


def step(slots: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[tuple[Slot, ...], Fraction]]:
    """Every joint outcome that leaves someone with the observation."""
    for outcomes in product(*map(law_of, slots)):
        seen = {slot for outcome in outcomes for slot, label in outcome.copies.items() if label == observation}
        if seen:
            yield tuple(sorted(seen)), prod((outcome.probability for outcome in outcomes), start=Fraction(1))


exists = Likelihood(start, step)
