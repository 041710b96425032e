"""Dynamic slot-centred: only what is observed on the slot where one now is, wherever that may be.

    v_i(h, a) = sum_o mu(c^ii o | h, a, i) [ r(o) + gamma v_i(h a o, a*) ],  a* = argmax_a sum_k P^k(hao) v_k(hao, a)

The value is that of slot i, the behaviour is that of the future agent, which does not know that it is on slot i.
The Multi-slot Framework, section 4.4.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Continuation, Future
from multislot.worlds.environment import Label, Slot, SlotTransition, copy_observation


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """The law of the copy that stays on the slot."""
    return {(j, o): probability for (j, o), probability in copy_observation(step.law).items() if j == step.slot}


dyn = Future(copy_weights, continuation=Continuation.ON_THE_SLOT, ignores_slot_numbers=True)
