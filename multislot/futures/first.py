"""The first copy: of the copies that an outcome makes only the one on the lowest slot counts.

    w_ij(o) = sum over outcomes (p, c) with j = min c and o = c_j of  p

The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future
from multislot.worlds.environment import Label, Slot, SlotTransition


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Every outcome's probability given to its lowest copy."""
    weights: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in step.law:
        if copies:
            copy = min(copies)
            weights[copy, copies[copy]] = weights.get((copy, copies[copy]), Fraction(0)) + probability
    return weights


first = Future(copy_weights)
