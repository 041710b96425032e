"""The probability of the history along one path of copies, each step following copy j of slot i with weight P^ij.

    G(j, h a o) = sum_i G(i, h) P^ij(ha) nu(c^ij o | h, a, i),   L(h) = sum_j G(j, h)

With deterministic copy sets this is the probability that someone who picks a copy at random at every copying, all
copies equally, has the history h.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from multislot.futures.cpy import copy_weights
from multislot.learning.likelihood import LawOf, Likelihood, LikelihoodMeasure
from multislot.worlds.environment import Label, Slot, SlotTransition


def start(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """One initial slot, picked uniformly."""
    return tuple((slot, Fraction(1, len(initial))) for slot in initial)


def step(slot: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[Slot, Fraction]]:
    """Every copy that sees the observation, with its copy-centred weight."""
    for (copy, label), weight in copy_weights(SlotTransition(slot, law_of(slot), 0, {})).items():
        if label == observation:
            yield copy, weight


path = Likelihood(start, step)
