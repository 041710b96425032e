"""Rooms on the engine's grid maps as slots: an agent walks, collects coins at every step, and may use a copying booth.

A slot is a room, a drawing with the features `start`, `booth` and coins. The first use at the booth runs a machine:
it makes copies in some rooms, each on its room's start cell, gives them a bonus or not, and one step later deletes the
agents of some rooms. What is observed is the cell, the coin on it, the bonus and the colour of the room; two rooms of
one colour differ in their coins only. Reference: The Multi-slot Framework, introduction and section 4 (teleportation,
after its companion paper).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from engine.errors import UnknownName
from engine.grid import MOVES, Cell, GridMap
from engine.scene import Mark, Scene
from multislot.worlds.environment import (
    AgentHistory,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    state_after,
)
from multislot.worlds.time_dependent import deterministic_law

USE = "use"


class CopyMachine(NamedTuple):
    """copies: rooms with a copy, None where nothing happens. deleted: rooms emptied a step later. bonus: for copies."""

    copies: tuple[Slot, ...] | None
    deleted: tuple[Slot, ...] = ()
    bonus: bool = False


MACHINES = {
    "inert": CopyMachine(None),
    "delete": CopyMachine(()),
    "move": CopyMachine((2,)),
    "copy": CopyMachine((1, 2)),
    "copy-then-delete": CopyMachine((1, 2), deleted=(1,)),
    "copy-with-bonus": CopyMachine((1, 2), bonus=True),
}


def named_machine(name: str) -> CopyMachine:
    """A machine by its name; UnknownName otherwise."""
    if name not in MACHINES:
        raise UnknownName("machine", name, MACHINES)
    return MACHINES[name]


class RoomObservation(NamedTuple):
    """What an agent observes: where it is in its room, the coin there, whether it gets the bonus, the room's colour."""

    cell: Cell
    coin: str = ""
    bonus: bool = False
    colour: str = ""


class RoomState(NamedTuple):
    """The state of a history: the agent's cell, and whether the machine is still to be used, just used, or used."""

    cell: Cell
    machine: str = "unused"


class Rooms(HistoryBasedEnvironment):
    """Grid rooms, one a slot, with one copying machine; the first agent starts in room 1.

    rooms: room by slot, all of one shape; the legend of a drawing names "start", "booth" and the coins. machine: what
    the booth does. coins: the reward of each coin. colours: by slot, the same word for rooms that look alike. bonus:
    the reward of being made by a machine with a bonus. Observations are texts such as "0 small" or "red 1".
    """

    def __init__(
        self,
        name: str,
        rooms: Mapping[Slot, GridMap],
        machine: CopyMachine,
        coins: Mapping[str, Fraction],
        actions: tuple[str, ...] = (*MOVES, USE),
        colours: Mapping[Slot, str] | None = None,
        bonus: Fraction = Fraction(1),
    ) -> None:
        self.name, self.rooms, self.machine, self.colours = name, rooms, machine, colours or {}
        self.actions: tuple[Label, ...] = actions
        self.initial: tuple[Slot, ...] = (1,)
        self._coins, self._bonus = coins, bonus
        self._observations = {self._label(seen): seen for seen in self._possible_observations()}
        self.rewards: dict[Label, Fraction] = {label: self._reward(seen) for label, seen in self._observations.items()}

    def start(self) -> RoomState:
        """At the start of room 1, the machine unused."""
        return RoomState(self.rooms[1].only("start"))

    def update(self, state: HistoryState, action: Label, observation: Label) -> RoomState:
        """The cell of the observation, and what has become of the machine."""
        before = self._position(state)
        phase = "used" if before.machine != "unused" else "unused"
        if self._runs(before, action):
            phase = "just used"
        return RoomState(self._observations[str(observation)].cell, phase)

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Deterministic: the machine, a deletion one step after it, or a step."""
        position = self._position(state)
        if position.machine == "just used" and slot in self.machine.deleted:
            return deterministic_law({})
        if self._runs(position, action) and self.machine.copies is not None:
            return deterministic_law({room: self._label(self._of_copy(room)) for room in self.machine.copies})
        cell = position.cell if action == USE else self._walk(slot, position.cell, str(action))
        return deterministic_law({slot: self._label(self._observation(slot, cell))})

    def panel(self, slot: Slot, history: AgentHistory | None, role: str) -> Scene:
        """The room of a slot for a film, with its agent if there is one."""
        room = self.rooms[slot]
        fixtures = [(cell, name) for name, cells in room.features.items() if name != "start" for cell in cells]
        marks = [
            Mark(*cell, room.rows[cell.row][cell.column], name, "feature" if name == "booth" else "goal")
            for cell, name in fixtures
        ]
        if history is not None:
            cell = self._position(state_after(self, history)).cell
            marks.append(Mark(*cell, "@", f"agent on slot {slot}", role))
        floor = tuple("".join("#" if glyph == "#" else " " for glyph in row) for row in room.rows)
        return Scene(floor, tuple(marks))

    def _position(self, state: HistoryState) -> RoomState:
        assert isinstance(state, RoomState)
        return state

    def _runs(self, position: RoomState, action: Label) -> bool:
        return action == USE and position.machine == "unused" and position.cell in self.rooms[1].cells("booth")

    def _walk(self, slot: Slot, cell: Cell, action: str) -> Cell:
        return self.rooms[slot].move(cell, MOVES.index(action))

    def _observation(self, slot: Slot, cell: Cell) -> RoomObservation:
        coin = next((name for name in self._coins if cell in self.rooms[slot].cells(name)), "")
        return RoomObservation(cell, coin, colour=self.colours.get(slot, ""))

    def _of_copy(self, slot: Slot) -> RoomObservation:
        return self._observation(slot, self.rooms[slot].only("start"))._replace(bonus=self.machine.bonus)

    def _possible_observations(self) -> list[RoomObservation]:
        cells = [(slot, cell) for slot, room in self.rooms.items() for cell in room.floor]
        staying = [self._observation(slot, cell) for slot, cell in cells]
        return [*staying, *(self._of_copy(slot) for slot in self.machine.copies or ())]

    def _reward(self, seen: RoomObservation) -> Fraction:
        return self._coins.get(seen.coin, Fraction(0)) + (self._bonus if seen.bonus else 0)

    def _label(self, seen: RoomObservation) -> str:
        rows = len(self.rooms[1].rows)
        where = str(seen.cell.column) if rows == 1 else f"{seen.cell.row}.{seen.cell.column}"
        words = (seen.colour, where, seen.coin, "bonus" if seen.bonus else "")
        return " ".join(word for word in words if word)
