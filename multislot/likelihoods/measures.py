"""Likelihoods of a history: whether it is possible, how probable it is that someone has it, how many agents do.

    L_nu(h) = total of the measure after h

They differ in the configurations of the measure: nothing (`prior`), the set of slots that may be reached (`possible`)
or that hold an agent with the history (`exists`), single slots (`count`), or one copy picked at random (`path`).
Where environments are deterministic, `possible`, `exists` and `path` give the same posterior.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from multislot.futures.copy_centred import weigh_by_copy_share
from multislot.likelihoods import LawOf, Likelihood, LikelihoodMeasure
from multislot.worlds.environment import Label, Slot, SlotTransition, copy_observation

__all__ = ["count", "exists", "path", "possible", "prior"]


def start_empty_configuration(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """Return a single configuration of weight 1."""
    return (((), Fraction(1)),)


def keep_configuration(configuration: Any, law_of: LawOf, observation: Label) -> LikelihoodMeasure:
    """It stays as it is."""
    return start_empty_configuration(())


prior = Likelihood(start_empty_configuration, keep_configuration)
"""Nothing is learned: L = 1 for every history, so that the class is averaged with its prior weights (Eq. 2)."""


def start_slot_set(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """All initial slots have the empty history."""
    return ((initial, Fraction(1)),)


def follow_possible_slots(slots: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[tuple[Slot, ...], Fraction]]:
    """Yield the slots that may be reached with the observation, if there are any."""
    reached = {j for i in slots for outcome in law_of(i) for j, label in outcome.copies.items() if label == observation}
    if reached:
        yield tuple(sorted(reached)), Fraction(1)


possible = Likelihood(start_slot_set, follow_possible_slots)
"""1 where someone may have the history and 0 elsewhere: the prior, normalised over the environments that survive.

    L(h) = 1 if nu(h^i = h) > 0 for some slot i, otherwise 0;   w_nu(h) = w_nu / sum of the weights of those with L = 1

How well an environment predicted the history counts for nothing; that it allows it, for everything. Under
deterministic environments all likelihoods but `prior` and `count` are this one.
"""


def follow_slot_sets(slots: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[tuple[Slot, ...], Fraction]]:
    """Yield every joint outcome that leaves someone with the observation."""
    for outcomes in product(*map(law_of, slots)):
        seen = {slot for outcome in outcomes for slot, label in outcome.copies.items() if label == observation}
        if seen:
            yield tuple(sorted(seen)), prod((outcome.probability for outcome in outcomes), start=Fraction(1))


exists = Likelihood(start_slot_set, follow_slot_sets)
"""The probability that some slot holds an agent with the history: slot sets are followed, the empty one is dropped.

    L(h) = sum over non-empty sets D of slots of  nu(D is the set of slots with history h)

Each slot of the set draws its outcome on its own; those of its copies that see the observation make up the next set.
"""


def start_on_every_slot(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """Put one agent on every initial slot."""
    return tuple((slot, Fraction(1)) for slot in initial)


def follow_every_copy(slot: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[Slot, Fraction]]:
    """Yield every copy that sees the observation, with its probability."""
    for (copy, label), probability in copy_observation(law_of(slot)).items():
        if label == observation:
            yield copy, probability


count = Likelihood(start_on_every_slot, follow_every_copy)
"""The expected number of agents with the history: L(h) = sum_i F(i, h), which may exceed 1."""


def start_on_one_slot(initial: tuple[Slot, ...]) -> LikelihoodMeasure:
    """Return one initial slot, picked uniformly."""
    return tuple((slot, Fraction(1, len(initial))) for slot in initial)


def follow_one_copy(slot: Any, law_of: LawOf, observation: Label) -> Iterator[tuple[Slot, Fraction]]:
    """Yield every copy that sees the observation, with its copy-centred weight."""
    for (copy, label), weight in weigh_by_copy_share(SlotTransition(slot, law_of(slot), 0, {})).items():
        if label == observation:
            yield copy, weight


path = Likelihood(start_on_one_slot, follow_one_copy)
"""The probability of the history along one path of copies, each step following copy j of slot i with weight P^ij.

    G(j, h a o) = sum_i G(i, h) P^ij(ha) nu(c^ij o | h, a, i),   L(h) = sum_j G(j, h)

With deterministic copy sets this is the probability that someone who picks a copy at random at every copying, all
copies equally, has the history h.
"""
