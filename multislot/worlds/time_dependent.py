"""Environments without memory: what happens to a slot depends on the time step, the slot and the action alone.

For worlds with ever more slots, which no finite table describes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from multislot.worlds.environment import Label, Law, Outcome, Slot, State


@dataclass(frozen=True)
class TimedEnvironment:
    """The state is the time step to come, from 1; respond: (time, slot, action) -> law. A `HistoryEnvironment`."""

    name: str
    actions: tuple[Label, ...]
    rewards: Mapping[Label, Fraction]
    respond: Callable[[int, Slot, Label], Law]
    initial: tuple[Slot, ...] = (1,)

    def start(self) -> int:
        """The first time step."""
        return 1

    def update(self, state: State, action: Label, observation: Label) -> State:
        """The next time step."""
        return int(str(state)) + 1

    def law(self, state: State, slot: Slot, action: Label) -> Law:
        """The law at this time step."""
        return self.respond(int(str(state)), slot, action)


def surely(copies: Mapping[Slot, Label]) -> Law:
    """The law of a single outcome."""
    return (Outcome(Fraction(1), copies),)
