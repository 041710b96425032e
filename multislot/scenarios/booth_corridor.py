"""The booth corridor, and grid rooms in general: each slot is a room, and a booth in one of them makes copies.

A slot is a room, a drawing with the features `start`, `booth` and coins; an agent walks, collects coins at every
step, and may use the booth. The first use at the booth runs a machine: it makes copies in some rooms, each on its
room's start cell, gives them a bonus or not, and one step later deletes the agents of some rooms. What is observed is
the cell, the coin on it, the bonus and the colour of the room; two rooms of one colour differ in their coins only.
Reference: The Multi-slot Framework, introduction and section 4 (teleportation, after its companion paper).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from engine.errors import BadValue, UnknownName
from engine.grid import MOVES, Cell, GridMap
from engine.scene import Mark, Scene
from multislot.naming import Family
from multislot.scenarios import SlotScenario, WorkedExample
from multislot.worlds.environment import (
    AgentHistory,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    compute_state_after,
    make_deterministic_law,
)

__all__ = ["booth_corridor"]

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


def find_machine(name: str) -> CopyMachine:
    """Return a machine by its name; UnknownName otherwise."""
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
        self.name = name
        self.rooms = rooms
        self.machine = machine
        self.colours = colours or {}
        self.actions: tuple[Label, ...] = actions
        self.initial: tuple[Slot, ...] = (1,)
        self._coins = coins
        self._bonus = bonus
        self._observations = {self._format_label(seen): seen for seen in self._list_observations()}
        self.rewards: dict[Label, Fraction] = {
            label: self._compute_reward(seen) for label, seen in self._observations.items()
        }

    def start(self) -> RoomState:
        """At the start of room 1, the machine unused."""
        return RoomState(self.rooms[1].only("start"))

    def update(self, state: HistoryState, action: Label, observation: Label) -> RoomState:
        """Return the cell of the observation, and what has become of the machine."""
        before = self._require_position(state)
        phase = "used" if before.machine != "unused" else "unused"
        if self._runs_machine(before, action):
            phase = "just used"
        return RoomState(self._observations[str(observation)].cell, phase)

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Deterministic: the machine, a deletion one step after it, or a step."""
        position = self._require_position(state)
        if position.machine == "just used" and slot in self.machine.deleted:
            return make_deterministic_law({})
        if self._runs_machine(position, action) and self.machine.copies is not None:
            return make_deterministic_law(
                {room: self._format_label(self._observe_as_copy(room)) for room in self.machine.copies}
            )
        cell = position.cell if action == USE else self._walk(slot, position.cell, str(action))
        return make_deterministic_law({slot: self._format_label(self._observe(slot, cell))})

    def panel(self, slot: Slot, history: AgentHistory | None, role: str) -> Scene:
        """Return the room of a slot for a film, with its agent if there is one."""
        room = self.rooms[slot]
        fixtures = [(cell, name) for name, cells in room.features.items() if name != "start" for cell in cells]
        marks = [
            Mark(*cell, room.rows[cell.row][cell.column], name, "feature" if name == "booth" else "goal")
            for cell, name in fixtures
        ]
        if history is not None:
            cell = self._require_position(compute_state_after(self, history)).cell
            marks.append(Mark(*cell, "@", f"agent on slot {slot}", role))
        floor = tuple("".join("#" if glyph == "#" else " " for glyph in row) for row in room.rows)
        return Scene(floor, tuple(marks))

    def _require_position(self, state: HistoryState) -> RoomState:
        assert isinstance(state, RoomState)
        return state

    def _runs_machine(self, position: RoomState, action: Label) -> bool:
        return action == USE and position.machine == "unused" and position.cell in self.rooms[1].cells("booth")

    def _walk(self, slot: Slot, cell: Cell, action: str) -> Cell:
        return self.rooms[slot].move(cell, MOVES.index(action))

    def _observe(self, slot: Slot, cell: Cell) -> RoomObservation:
        coin = next((name for name in self._coins if cell in self.rooms[slot].cells(name)), "")
        return RoomObservation(cell, coin, colour=self.colours.get(slot, ""))

    def _observe_as_copy(self, slot: Slot) -> RoomObservation:
        return self._observe(slot, self.rooms[slot].only("start"))._replace(bonus=self.machine.bonus)

    def _list_observations(self) -> list[RoomObservation]:
        cells = [(slot, cell) for slot, room in self.rooms.items() for cell in room.floor]
        staying = [self._observe(slot, cell) for slot, cell in cells]
        return [*staying, *(self._observe_as_copy(slot) for slot in self.machine.copies or ())]

    def _compute_reward(self, seen: RoomObservation) -> Fraction:
        return self._coins.get(seen.coin, Fraction(0)) + (self._bonus if seen.bonus else 0)

    def _format_label(self, seen: RoomObservation) -> str:
        rows = len(self.rooms[1].rows)
        where = str(seen.cell.column) if rows == 1 else f"{seen.cell.row}.{seen.cell.column}"
        words = (seen.colour, where, seen.coin, "bonus" if seen.bonus else "")
        return " ".join(word for word in words if word)


ROOM_LEGEND = {"@": "start", "c": "small", "C": "big", "b": "booth"}
ROOM_DRAWINGS = {1: "c@b", 2: ".@C"}
COIN_REWARDS = {"small": Fraction(2, 5), "big": Fraction(1)}
ROOM_COLOURS: dict[str, dict[int, str]] = {"alike": {}, "coloured": {1: "red", 2: "blue"}}


HOME_VALUES: dict[Label, str] = {"left": "3439/2500", "right": "1539/2500", "use": "2439/2500"}
BOOTH_EXAMPLES = (
    WorkedExample("the static agent values its room alone", "sta:1", HOME_VALUES, horizon=4, discount="9/10"),
    WorkedExample("so does the dynamic agent", "dyn", HOME_VALUES, horizon=4, discount="9/10"),
    WorkedExample(
        "half of the copy-centred agent may find the big coin",
        "cpy",
        {"left": "3439/2500", "right": "1539/2000", "use": "2439/2500"},
        horizon=4,
        discount="9/10",
    ),
)


def make_booth_corridor_rooms(machine: str = "copy", look: str = "alike") -> Rooms:
    """Return the two rooms with a machine, alike or coloured. UnknownName, BadValue."""
    if look not in ROOM_COLOURS:
        raise BadValue(f"look '{look}'", place="booth_corridor", remedy="choose from " + ", ".join(ROOM_COLOURS))
    rooms = {
        slot: GridMap.parse(art, ROOM_LEGEND, once=["start"], source=f"room {slot}")
        for slot, art in ROOM_DRAWINGS.items()
    }
    actions = ("left", "right", USE)
    return Rooms(
        f"booth_corridor:{machine},{look}", rooms, find_machine(machine), COIN_REWARDS, actions, ROOM_COLOURS[look]
    )


def make_booth_corridor(argument: str) -> SlotScenario:
    """Return the corridor for the words "machine,look"; the examples belong to the default ones."""
    words = [word.strip() for word in argument.split(",") if word.strip()]
    if len(words) > 2:
        raise BadValue(f"'{argument}' is not MACHINE,LOOK", place="booth_corridor", remedy="write copy,alike")
    environment = make_booth_corridor_rooms(*words)
    return SlotScenario(environment, BOOTH_EXAMPLES if words in ([], ["copy"], ["copy", "alike"]) else ())


booth_corridor = Family(make_booth_corridor, example="copy,alike", default="copy,alike")
"""The booth corridor: a small coin at home, a copying booth, and another room with a big coin.

Room 1 has the small coin in cell 0 and the booth in cell 2, room 2 the big coin in cell 2; agents and copies start
in cell 1. Named "booth_corridor:MACHINE,ROOMS" with the machine inert, delete, move, copy (the default),
copy-then-delete or copy-with-bonus, and rooms that look alike (the default) or are coloured.
"""
