"""Futures that follow the copies of the agent, whatever their slots; they differ in the weight w_ij(o) of a copy.

    Q(h, a) = sum_i P^i(h) sum over copies j and observations o of  w_ij(o) [ r(o) + gamma V(h a o) ]

`cpy` is V^cpy as the paper prints it, `cpy_joint` the reading of it that loses no weight where copy sets are random.
The others are from the list of section 4: all copies summed (`every`), all agents with one's history
(`same_history`), the copy on the lowest slot (`first`), the copies with the lowest reward (`minimal`). The agent
estimates its slot anew after every step, so the later value is V(h a o) for all copies. Reference: The Multi-slot
Framework, sections 4 and 4.2.
"""

from __future__ import annotations

from fractions import Fraction

from multislot.futures import Future
from multislot.worlds.environment import Label, Law, Slot, SlotTransition, copy_observation, copy_probability

__all__ = ["cpy", "cpy_joint", "every", "first", "minimal", "same_history"]


def compute_copy_shares(law: Law) -> dict[Slot, Fraction]:
    """P^ij(ha): the share of each copy in the copy probabilities."""
    copied = copy_probability(law)
    total = sum(copied.values())
    return {slot: probability / total for slot, probability in copied.items()}


def weigh_by_copy_share(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """P^ij times the law of copy and observation."""
    shares = compute_copy_shares(step.law)
    return {(j, o): shares[j] * probability for (j, o), probability in copy_observation(step.law).items()}


cpy = Future(weigh_by_copy_share, ignores_slot_numbers=True)
"""Copy-centred: all copies of the next step count, each by its share of the copy probabilities.

    w_ij(o) = P^ij(ha) mu(c^ij o | h, a, i),   P^ij(ha) = mu(c^ij | h, a, i) / sum_k mu(c^ik | h, a, i)

As printed, the copy probability enters twice, in the share and in the law, so that weight is lost where copy sets
are random (`cpy_joint` loses none). The Multi-slot Framework, section 4.2.
"""


def weigh_by_realised_copies(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Return every outcome's probability shared equally by its copies."""
    weights: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in step.law:
        for copy in copies.items():
            weights[copy] = weights.get(copy, Fraction(0)) + probability / len(copies)
    return weights


cpy_joint = Future(weigh_by_realised_copies, ignores_slot_numbers=True)
"""Copy-centred, averaged over the realised copy set: each copy of an outcome counts one over the number of copies.

    w_ij(o) = sum over outcomes (p, c) with (j, o) in c of  p / |c|

Not in the paper: the interpretation of section 4.2 that loses no weight where copy sets are random. It equals `cpy`
wherever copy sets are deterministic, and wherever all the copy sets of a law are single and of one slot.
"""


def weigh_every_copy(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Return the law of copy and observation as it is."""
    return copy_observation(step.law)


every = Future(weigh_every_copy, ignores_slot_numbers=True)
"""All copies, summed: every copy counts fully, so that the value grows with the number of copies.

    w_ij(o) = mu(c^ij o | h, a, i)

The Multi-slot Framework, list of section 4 and the remark of 4.2: where copies multiply faster than discounting
shrinks, the value has no limit in the horizon (see the scenarios `exponential` and `factorial`).
"""


def count_expected_copies(law: Law) -> Fraction:
    """Return the expected number of copies, a deletion counted as one."""
    return sum((probability * max(1, len(outcome)) for probability, outcome in law), Fraction(0))


same_history = Future(weigh_every_copy, multiplicity=count_expected_copies, ignores_slot_numbers=True)
"""All agents with the same history: every direct copy of any of them counts the same.

    Q(h, a) = sum_i P^i sum_jo mu(c^ij o | h, a, i) [ r(o) + gamma V(hao) ] / sum_i P^i n_i,   n_i = E max(1, |c^i|)

`cpy` gives every agent the same weight and shares it among its copies; here agents with many copies weigh more.
A deleted agent still counts as one, so that deletion is worth 0. The Multi-slot Framework, list of section 4.
"""


def weigh_lowest_slot(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Assign every outcome's probability to its lowest copy."""
    weights: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in step.law:
        if copies:
            copy = min(copies)
            weights[copy, copies[copy]] = weights.get((copy, copies[copy]), Fraction(0)) + probability
    return weights


first = Future(weigh_lowest_slot)
"""The first copy: of the copies that an outcome makes only the one on the lowest slot counts.

    w_ij(o) = sum over outcomes (p, c) with j = min c and o = c_j of  p

The Multi-slot Framework, list of section 4.
"""


def weigh_lowest_rewards(step: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Return every outcome's probability shared by its copies with the lowest reward."""
    weights: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in step.law:
        lowest = min((step.rewards[o] for o in copies.values()), default=None)
        worst = [copy for copy in copies.items() if step.rewards[copy[1]] == lowest]
        for copy in worst:
            weights[copy] = weights.get(copy, Fraction(0)) + probability / len(worst)
    return weights


minimal = Future(weigh_lowest_rewards, ignores_slot_numbers=True)
"""The copies with the lowest reward: of the copies of an outcome only those with the lowest reward count, equally.

    w_ij(o) = sum over outcomes (p, c) of  p / |worst(c)|  for (j, o) in worst(c) = argmin over c of r(o)

The Multi-slot Framework, list of section 4.
"""
