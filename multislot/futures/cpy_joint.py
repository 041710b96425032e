"""Copy-centred, averaged over the realised copy set: each copy of an outcome counts one over the number of copies.

    w_ij(o) = sum over outcomes (p, c) with (j, o) in c of  p / |c|

Not in the paper: the interpretation of section 4.2 that loses no weight where copy sets are random. It equals `cpy`
wherever copy sets are deterministic, and wherever all the copy sets of a law are single and of one slot.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future
from multislot.worlds.environment import Label, Slot, SlotTransition


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Every outcome's probability shared equally by its copies."""
    weights: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in step.law:
        for copy in copies.items():
            weights[copy] = weights.get(copy, Fraction(0)) + probability / len(copies)
    return weights


cpy_joint = Future(copy_weights, ignores_slot_numbers=True)
