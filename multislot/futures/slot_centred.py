"""Futures that follow a slot: what is observed elsewhere counts for nothing, so that leaving the slot is a deletion.

    w_ij(o) = mu(c^ij o | h, a, i) for the slot j that counts, otherwise 0

The slot that counts is the one where the agent is now (`dyn`), one fixed slot that the agent has never left (`sta`),
one fixed slot wherever the agent comes from (`slot`), or another slot at each time step (`prime`). Reference: The
Multi-slot Framework, sections 4.3 and 4.4, and the list of section 4.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count, islice

from multislot.futures import Continuation, Future, slot_family
from multislot.worlds.environment import Label, Law, Slot, SlotTransition, copy_observation

__all__ = ["dyn", "prime", "slot", "sta"]


def weigh_own_slot(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Return the law of the copy that stays on the slot."""
    return {(j, o): probability for (j, o), probability in copy_observation(step.law).items() if j == step.slot}


dyn = Future(weigh_own_slot, continuation=Continuation.ON_THE_SLOT, ignores_slot_numbers=True)
"""Dynamic slot-centred: only what is observed on the slot where one now is, wherever that may be.

    v_i(h, a) = sum_o mu(c^ii o | h, a, i) [ r(o) + gamma v_i(h a o, a*) ],  a* = argmax_a sum_k P^k(hao) v_k(hao, a)

The value is that of slot i, the behaviour is that of the future agent, which does not know that it is on slot i.
The Multi-slot Framework, section 4.4.
"""


def make_static_future(slot: Slot) -> Future:
    """Make the future that counts one slot."""
    return Future(weigh_own_slot, admissible=lambda i: i == slot)


sta = slot_family(make_static_future)
"""Static slot-centred: only what is observed on one given slot counts, by an agent that has never left it.

    w_ii(o) = mu(c^ii o | h, a, c^ii always before), and 0 where slot i cannot have h without having left

The Multi-slot Framework, section 4.3. Where the first agent is on slot 1, every other slot is worth 0.
"""


def select_copies_on(target: Slot, law: Law) -> dict[tuple[Slot, Label], Fraction]:
    """Return the law of the copy on one slot."""
    return {(j, o): probability for (j, o), probability in copy_observation(law).items() if j == target}


def make_slot_future(target: Slot) -> Future:
    """Make the future that counts one slot."""
    return Future(lambda step: select_copies_on(target, step.law))


slot = slot_family(make_slot_future)
"""A given slot: only what a copy of mine observes on that slot counts, from wherever it was copied.

    w_ij(o) = mu(c^ij o | h, a, i) for j = the slot, otherwise 0

The Multi-slot Framework, list of section 4 ("slot 1"). Differs from the paper: observations there by agents that are
no copies of mine do not count; that would need the actions of others.
"""


def find_nth_prime(n: int) -> int:
    """Return the n-th prime number, counted from 1."""
    primes = (k for k in count(2) if all(k % divisor for divisor in range(2, int(k**0.5) + 1)))
    return next(islice(primes, n - 1, None))


def weigh_prime_slot(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Return the law of the copy on the slot of this time step."""
    return select_copies_on(find_nth_prime(step.time), step.law)


prime = Future(weigh_prime_slot)
"""The slot numbered by the t-th prime: at time step t only the copy on slot p_t counts (p_1 = 2, p_2 = 3, p_3 = 5 ...).

    w_ij(o) = mu(c^ij o | h, a, i) for j = p_t, otherwise 0

The Multi-slot Framework, list of section 4.
"""
