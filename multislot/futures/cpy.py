"""Copy-centred: all copies of the next step count, each by its share of the copy probabilities.

    w_ij(o) = P^ij(ha) mu(c^ij o | h, a, i),   P^ij(ha) = mu(c^ij | h, a, i) / sum_k mu(c^ik | h, a, i)

As printed, the copy probability enters twice, in the share and in the law, so that weight is lost where copy sets
are random (`cpy_joint` loses none). The Multi-slot Framework, section 4.2.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future
from multislot.worlds.environment import Label, Law, Slot, SlotTransition, copy_observation, copy_probability


def copy_shares(law: Law) -> dict[Slot, Fraction]:
    """P^ij(ha): the share of each copy in the copy probabilities."""
    copied = copy_probability(law)
    total = sum(copied.values())
    return {slot: probability / total for slot, probability in copied.items()}


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """P^ij times the law of copy and observation."""
    shares = copy_shares(step.law)
    return {(j, o): shares[j] * probability for (j, o), probability in copy_observation(step.law).items()}


cpy = Future(copy_weights, ignores_slot_numbers=True)
