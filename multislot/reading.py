"""What the later value of a copy is: the estimate made anew at its history, or the value on the slot it woke up in.

Both read slot values v_i(h, a) into what earlier steps need of a history: `re_estimated` keeps the average over the
slots where one may be, because the agent at h does not know what an earlier agent knew about its slot; `on_the_slot`
keeps one number a slot, although the action was chosen by the average (The Multi-slot Framework, sections 4.2, 4.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from multislot.backend import Number

Later: TypeAlias = Any
Carry: TypeAlias = tuple[tuple[int, int, Number], ...]


class Reading(Protocol):
    """Letters: s numbers the slots of a history, t the slots of the history one step on."""

    def later(self, carry: Carry, kept: Later, values: list[Number]) -> None:
        """Add w * later_t for every (s, t, w) of an observation to the slot values v_s."""
        ...

    def keep(self, values: Sequence[Number], average: Number) -> Later:
        """What earlier steps need of a history: its slot values under the chosen action, or their average."""
        ...


class ReEstimated:
    """later_j(h a o) = V(h a o), whatever the slot."""

    def later(self, carry: Carry, kept: Later, values: list[Number]) -> None:
        """Add the one value of the next history to the slots that lead there."""
        for s, _, weight in carry:
            values[s] += weight * kept

    def keep(self, values: Sequence[Number], average: Number) -> Later:
        """The average over the slots where one may be."""
        return average


class OnTheSlot:
    """later_j(h a o) = v_j(h a o, a*) with a* the action that is best on average."""

    def later(self, carry: Carry, kept: Later, values: list[Number]) -> None:
        """Add each copy's own later value to its source."""
        for s, t, weight in carry:
            values[s] += weight * kept[t]

    def keep(self, values: Sequence[Number], average: Number) -> Later:
        """The value on each slot."""
        return tuple(values)


re_estimated: Reading = ReEstimated()
on_the_slot: Reading = OnTheSlot()
