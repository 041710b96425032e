"""The expected number of agents with the history: L(h) = sum_i F(i, h), which may exceed 1."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from multislot.learning.likelihood import LawOf, Likelihood, LikelihoodMeasure
from multislot.worlds.environment import Label, Slot, copy_observation


def start(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """One agent on every initial slot."""
    return tuple((slot, Fraction(1)) for slot in initial)


def step(slot: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[Slot, Fraction]]:
    """Every copy that sees the observation, with its probability."""
    for (copy, label), probability in copy_observation(law_of(slot)).items():
        if label == observation:
            yield copy, probability


count = Likelihood(start, step)
