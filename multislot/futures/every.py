"""All copies, summed: every copy counts fully, so that the value grows with the number of copies.

    w_ij(o) = mu(c^ij o | h, a, i)

The Multi-slot Framework, list of section 4 and the remark of 4.2: where copies multiply faster than discounting
shrinks, the value has no limit in the horizon (see the scenarios `exponential` and `factorial`).
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future
from multislot.worlds.environment import Label, Slot, SlotTransition, copy_observation


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """The law of copy and observation as it is."""
    return copy_observation(step.law)


every = Future(copy_weights, ignores_slot_numbers=True)
