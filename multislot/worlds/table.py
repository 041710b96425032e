"""Environments as tables: the first matching row gives the law of a slot, or the next state of a history.

rules  (z, slot, action) -> law, first match; no match is an error that names the three
update (z, action, observation) -> z2, first match; otherwise z stays
"*" in a row matches anything. `multislot.worlds.table_json` reads tables from JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from multislot.errors import BadTable
from multislot.worlds.environment import HistoryBasedEnvironment, HistoryState, Label, Law, Slot

ANY = "*"


class LawRow(NamedTuple):
    """One row of the rules; None matches anything."""

    state: str | None
    slot: Slot | None
    action: Label | None
    law: Law


class UpdateRow(NamedTuple):
    """One row of the update; None matches anything."""

    state: str | None
    action: Label | None
    observation: Label | None
    successor: str


def matches(pattern: tuple[object, ...], actual: tuple[object, ...]) -> bool:
    """Whether every entry that is not None is equal."""
    return all(expected is None or expected == value for expected, value in zip(pattern, actual, strict=True))


@dataclass(frozen=True)
class TableEnvironment(HistoryBasedEnvironment):
    """A history-based environment given by rows, of which the first matching one counts.

    first: the state of the empty history. rules: rows for the law of a slot. updates: rows for the next state; without
    a matching one the state stays as it is.
    """

    name: str
    actions: tuple[Label, ...]
    rewards: Mapping[Label, Fraction]
    initial: tuple[Slot, ...]
    first: str
    rules: tuple[LawRow, ...]
    updates: tuple[UpdateRow, ...]
    _laws: dict[tuple[str, Slot, Label], Law] = field(default_factory=dict, compare=False, repr=False)

    def where(self) -> str:
        """Its name: what is wrong with it is wrong in its rows."""
        return self.name

    def start(self) -> str:
        """The state of the empty history."""
        return self.first

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """The successor in the first matching row, or the same state."""
        for row in self.updates:
            if matches(row[:3], (state, action, observation)):
                return row.successor
        return state

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """The law in the first matching row; BadTable where no row matches."""
        key = (str(state), slot, action)
        if key not in self._laws:
            self._laws[key] = self._first_match(key)
        return self._laws[key]

    def _first_match(self, key: tuple[str, Slot, Label]) -> Law:
        for row in self.rules:
            if matches(row[:3], key):
                return row.law
        state, slot, action = key
        raise BadTable(
            f"no rule for state {state!r}, slot {slot}, action {action!r}",
            place=self.name,
            remedy='add a row for it ("no copy" is the outcome {})',
        )
