"""The copies with the lowest reward: of the copies of an outcome only those with the lowest reward count, equally.

    w_ij(o) = sum over outcomes (p, c) of  p / |worst(c)|  for (j, o) in worst(c) = argmin over c of r(o)

The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future
from multislot.worlds.environment import Label, Slot, SlotTransition


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Every outcome's probability shared by its copies with the lowest reward."""
    weights: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in step.law:
        lowest = min((step.rewards[o] for o in copies.values()), default=None)
        worst = [copy for copy in copies.items() if step.rewards[copy[1]] == lowest]
        for copy in worst:
            weights[copy] = weights.get(copy, Fraction(0)) + probability / len(worst)
    return weights


minimal = Future(copy_weights, ignores_slot_numbers=True)
