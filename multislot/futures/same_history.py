"""All agents with the same history: every direct copy of any of them counts the same.

    Q(h, a) = sum_i P^i sum_jo mu(c^ij o | h, a, i) [ r(o) + gamma V(hao) ] / sum_i P^i n_i,   n_i = E max(1, |c^i|)

`cpy` gives every agent the same weight and shares it among its copies; here agents with many copies weigh more.
A deleted agent still counts as one, so that deletion is worth 0. The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.future import Future
from multislot.futures.every import copy_weights
from multislot.worlds.environment import Law


def expected_copies(law: Law) -> Fraction:
    """The expected number of copies, a deletion counted as one."""
    return sum((probability * max(1, len(outcome)) for probability, outcome in law), Fraction(0))


same_history = Future(copy_weights, multiplicity=expected_copies, ignores_slot_numbers=True)
