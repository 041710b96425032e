"""Nothing is learned: L = 1 for every history, so that the class is averaged with its prior weights (Eq. 2)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from multislot.learning.likelihood import LawOf, Likelihood, LikelihoodMeasure
from multislot.worlds.environment import Label, Slot


def start(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """A single configuration of weight 1."""
    return (((), Fraction(1)),)


def step(configuration: Any, law_of: LawOf, observation: Label) -> LikelihoodMeasure:
    """It stays as it is."""
    return start(())


prior = Likelihood(start, step)
