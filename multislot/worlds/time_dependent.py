"""Environments without memory: what happens to a slot depends on the time step, the slot and the action alone.

For worlds with ever more slots, which no finite table describes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment, HistoryState, Label, Law, Slot


@dataclass(frozen=True)
class TimeDependentEnvironment(HistoryBasedEnvironment):
    """An environment whose laws depend on the time step alone, not on what the agent has observed.

    respond: (time step from 1, slot, action) -> the law of the slot. slots_alike: (time step, slot) -> a slot with the
    same future (`HistoryBasedEnvironment.representative`). The state of a history is the time step to come.
    """

    name: str
    actions: tuple[Label, ...]
    rewards: Mapping[Label, Fraction]
    respond: Callable[[int, Slot, Label], Law]
    initial: tuple[Slot, ...] = (1,)
    slots_alike: Callable[[int, Slot], Slot] = lambda time, slot: slot

    def where(self) -> str:
        """Its name: what is wrong with it is wrong where it is made."""
        return self.name

    def start(self) -> int:
        """The first time step."""
        return 1

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """The next time step."""
        return int(str(state)) + 1

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """The law at this time step."""
        return self.respond(int(str(state)), slot, action)

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """The slot that stands for this one at this time step."""
        return self.slots_alike(int(str(state)), slot)


def all_alike(time: int, slot: Slot) -> Slot:
    """Slot 1 stands for every slot, always."""
    return 1


def deterministic_law(copies: Mapping[Slot, Label]) -> Law:
    """The law of a single outcome."""
    return (CopyOutcome(Fraction(1), copies),)
