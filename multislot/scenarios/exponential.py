"""Exponential copying: action 1 copies every agent onto two slots, action 0 onto its own; the reward is always 1.

The copy-centred value is bounded by 1 / (1 - discount) and indifferent. Summed over all copies, each step contributes
2^t discount^(t-1): at discount 1/2 the sum grows by two with every step of the horizon and has no limit (section 4.2).
"""

from fractions import Fraction

from multislot.scenario import SlotScenario
from multislot.worked_example import WorkedExample
from multislot.worlds.environment import Label, Law, Slot
from multislot.worlds.time_dependent import TimeDependentEnvironment, all_alike, deterministic_law


def _respond(time: int, slot: Slot, action: Label) -> Law:
    return deterministic_law({slot: "paid"} if action == 0 else {slot: "paid", 2 ** (time - 1) + slot: "paid"})


exponential = SlotScenario(
    TimeDependentEnvironment("exponential", (0, 1), {"paid": Fraction(1)}, _respond, slots_alike=all_alike),
    (
        WorkedExample("the weighted value is bounded", "cpy", {0: "15/8", 1: "15/8"}, horizon=4),
        WorkedExample("the sum over copies grows", "every", {0: "4", 1: "8"}, horizon=4),
        WorkedExample("by two with every step", "every", {0: "5", 1: "10"}, horizon=5),
    ),
)
