"""The slot numbered by the t-th prime: at time step t only the copy on slot p_t counts (p_1 = 2, p_2 = 3, p_3 = 5 ...).

    w_ij(o) = mu(c^ij o | h, a, i) for j = p_t, otherwise 0

The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count, islice

from multislot.future import Future
from multislot.futures.slot import copies_on
from multislot.worlds.environment import Label, Slot, SlotTransition


def nth_prime(n: int) -> int:
    """The n-th prime number, counted from 1."""
    primes = (k for k in count(2) if all(k % divisor for divisor in range(2, int(k**0.5) + 1)))
    return next(islice(primes, n - 1, None))


def copy_weights(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """The law of the copy on the slot of this time step."""
    return copies_on(nth_prime(step.time), step.law)


prime = Future(copy_weights)
