"""1 where someone may have the history and 0 elsewhere: the prior, normalised over the environments that survive.

    L(h) = 1 if nu(h^i = h) > 0 for some slot i, otherwise 0;   w_nu(h) = w_nu / sum of the weights of those with L = 1

How well an environment predicted the history counts for nothing; that it allows it, for everything. Under
deterministic environments all likelihoods but `prior` and `count` are this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from multislot.learning.likelihood import LawOf, Likelihood, LikelihoodMeasure
from multislot.worlds.environment import Label, Slot


def start(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """All initial slots have the empty history."""
    return ((initial, Fraction(1)),)


def step(slots: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[tuple[Slot, ...], Fraction]]:
    """The slots that may be reached with the observation, if there are any."""
    reached = {j for i in slots for outcome in law_of(i) for j, label in outcome.copies.items() if label == observation}
    if reached:
        yield tuple(sorted(reached)), Fraction(1)


possible = Likelihood(start, step)
