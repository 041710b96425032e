"""How many copies there are: random copy sets, and copies that multiply faster than any discount.

    w_ij(o) = P^ij(ha) mu(c^ij o | h, a, i)

Where copy sets are random the printed weights lose a part of 1; where copies multiply, the weighted value stays
bounded and the sum over all copies (`every`) grows with the horizon. Reference: The Multi-slot Framework, section
4.2.
"""

from fractions import Fraction

from multislot.scenarios import SlotScenario, WorkedExample, table_scenario
from multislot.worlds.environment import (
    Label,
    Law,
    Slot,
    TimeDependentEnvironment,
    make_deterministic_law,
    represent_by_slot_1,
)

__all__ = ["exponential", "factorial", "half_copy", "half_dup"]

half_copy = table_scenario(
    WorkedExample("half a chance of 1 beats 2/5", "cpy", {0: "31/40", 1: "7/8"}, horizon=3),
    WorkedExample("nothing is lost by the printed weights here", "cpy_joint", {0: "31/40", 1: "7/8"}, horizon=3),
    WorkedExample("slot 2 is nothing to the static agent", "sta:1", {0: "7/10", 1: "0"}, horizon=3),
    WorkedExample("nor to the dynamic one", "dyn", {0: "7/10", 1: "0"}, horizon=3),
    name="half_copy",
    actions=[0, 1],
    rewards={"0": "2/5", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1/2", {"2": 1}], ["1/2", {}]]],
        ["S", 2, "*", [["1", {"2": 1}]]],
    ],
)
"""Half a copy: action 1 copies to slot 2 with probability 1/2 and to nowhere otherwise (the remark of section 4.2).

The share of the one copy is 1 and its probability stays in the law, so that the step is worth half of the reward on
slot 2, and later rewards there are counted at half as well.
"""

half_dup = table_scenario(
    WorkedExample("the printed weights keep 5/6", "cpy", {0: "9/10", 1: "5/6"}, horizon=1),
    WorkedExample("the joint weights keep all", "cpy_joint", {0: "9/10", 1: "1"}, horizon=1),
    WorkedExample("slot 1 always stays", "sta:1", {0: "9/10", 1: "1"}, horizon=1),
    name="half_dup",
    actions=[0, 1],
    rewards={"0": "9/10", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1/2", {"1": 1, "2": 1}], ["1/2", {"1": 1}]]],
        ["E", 1, "*", [["1", {"1": 1}]]],
        ["E", 2, "*", [["1", {"2": 1}]]],
    ],
    update=[["S", 1, "*", "E"]],
)
"""Half a duplication: action 1 leaves one agent or two with equal probability, each rewarded with 1.

P^11 = 2/3 and P^12 = 1/3; as printed, `cpy` keeps 2/3 of 1 and 1/3 of 1/2, that is 5/6 of the weight, although
every possible agent is rewarded. `cpy_joint` keeps it all and prefers the higher reward.
"""


def _copy_onto_two_slots(time: int, slot: Slot, action: Label) -> Law:
    return make_deterministic_law({slot: "paid"} if action == 0 else {slot: "paid", 2 ** (time - 1) + slot: "paid"})


exponential = SlotScenario(
    TimeDependentEnvironment(
        "exponential", (0, 1), {"paid": Fraction(1)}, _copy_onto_two_slots, slots_alike=represent_by_slot_1
    ),
    (
        WorkedExample("the weighted value is bounded", "cpy", {0: "15/8", 1: "15/8"}, horizon=4),
        WorkedExample("the sum over copies grows", "every", {0: "4", 1: "8"}, horizon=4),
        WorkedExample("by two with every step", "every", {0: "5", 1: "10"}, horizon=5),
    ),
)
"""Exponential copying: action 1 copies every agent onto two slots, action 0 onto its own; the reward is always 1.

The copy-centred value is bounded by 1 / (1 - discount) and indifferent. Summed over all copies, each step contributes
2^t discount^(t-1): at discount 1/2 the sum grows by two with every step of the horizon and has no limit (section 4.2).
"""


def _copy_onto_many_slots(time: int, slot: Slot, action: Label) -> Law:
    wide = time + 1
    first = (slot - 1) * wide + 1
    return make_deterministic_law(dict.fromkeys(range(first, first + wide) if action == 1 else [first], "paid"))


def _represent_other_slots(time: int, slot: Slot) -> Slot:
    """Slot 1 has a copy of its own, all others are alike: their copies are on higher slots."""
    return min(slot, 2)


factorial = SlotScenario(
    TimeDependentEnvironment(
        "factorial", (0, 1), {"paid": Fraction(1)}, _copy_onto_many_slots, slots_alike=_represent_other_slots
    ),
    (
        WorkedExample("the weighted value is bounded", "cpy", {0: "15/8", 1: "15/8"}, horizon=4),
        WorkedExample("the sum over copies grows", "every", {0: "13", 1: "26"}, horizon=4),
        WorkedExample("ever faster", "every", {0: "71/2", 1: "71"}, horizon=5),
    ),
)
"""Factorial copying: at step t action 1 copies every agent onto t + 1 slots, so that t! grows past any discount.

Summed over all copies the terms (t + 1)! discount^(t-1) themselves grow without bound, whatever the discount; the
copy-centred value stays bounded and indifferent (section 4.2).
"""
