"""Static slot-centred: only what is observed on one given slot counts, by an agent that has never left it.

    w_ii(o) = mu(c^ii o | h, a, c^ii always before), and 0 where slot i cannot have h without having left

The Multi-slot Framework, section 4.3. Where the first agent is on slot 1, every other slot is worth 0.
"""

from __future__ import annotations

from multislot.future import Future, slot_family
from multislot.futures.dyn import copy_weights
from multislot.worlds.environment import Slot


def static_future(slot: Slot) -> Future:
    """The future on the given slot."""
    return Future(copy_weights, admissible=lambda i: i == slot)


sta = slot_family(static_future)
