"""Factorial copying: at step t action 1 copies every agent onto t + 1 slots, so that t! grows past any discount.

Summed over all copies the terms (t + 1)! discount^(t-1) themselves grow without bound, whatever the discount; the
copy-centred value stays bounded and indifferent (section 4.2).
"""

from fractions import Fraction

from multislot.scenario import SlotScenario
from multislot.worked_example import WorkedExample
from multislot.worlds.environment import Label, Law, Slot
from multislot.worlds.time_dependent import TimeDependentEnvironment, deterministic_law


def _respond(time: int, slot: Slot, action: Label) -> Law:
    wide = time + 1
    first = (slot - 1) * wide + 1
    return deterministic_law(dict.fromkeys(range(first, first + wide) if action == 1 else [first], "paid"))


def _stays_or_not(time: int, slot: Slot) -> Slot:
    """Slot 1 has a copy of its own, all others are alike: their copies are on higher slots."""
    return min(slot, 2)


factorial = SlotScenario(
    TimeDependentEnvironment("factorial", (0, 1), {"paid": Fraction(1)}, _respond, slots_alike=_stays_or_not),
    (
        WorkedExample("the weighted value is bounded", "cpy", {0: "15/8", 1: "15/8"}, horizon=4),
        WorkedExample("the sum over copies grows", "every", {0: "13", 1: "26"}, horizon=4),
        WorkedExample("ever faster", "every", {0: "71/2", 1: "71"}, horizon=5),
    ),
)
