"""A given slot: only what a copy of mine observes on that slot counts, from wherever it was copied.

    w_ij(o) = mu(c^ij o | h, a, i) for j = the slot, otherwise 0

The Multi-slot Framework, list of section 4 ("slot 1"). Differs from the paper: observations there by agents that are
no copies of mine do not count; that would need the actions of others.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future, slot_family
from multislot.worlds.environment import Label, Law, Slot, copy_observation


def copies_on(target: Slot, law: Law) -> dict[tuple[Slot, Label], Fraction]:
    """The law of the copy on one slot."""
    return {(j, o): probability for (j, o), probability in copy_observation(law).items() if j == target}


def slot_future(target: Slot) -> Future:
    """The future on the given slot."""
    return Future(lambda step: copies_on(target, step.law))


slot = slot_family(slot_future)
