"""The workshop of Figure 1(a): its map, its legend, and the key's places, shared by the workshop's rule sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from craftworld.scenario import Scenario, checked_probability
from engine.errors import UnknownName
from engine.grid import GridMap
from engine.scene import Mark

ART = """
##########
#E.K....T#
#........#
#........#
#........#
#.....W..#
#....F...#
#......K.#
#.......X#
##########
"""


class WorkshopMap(Scenario):
    """A workshop with a toolshed, wood, a factory, doors and key places; K1, K2, ... in reading order.

    key_start: the place where the key lies at first ("K1", "K2", ...), or "uniform": each place equally likely. slip:
    the probability that a move comes to nothing, as on a slippery floor; 0 in the paper.
    """

    art = ART
    legend: ClassVar[Mapping[str, str]] = {
        "E": "entrance",
        "X": "exit",
        "K": "key place",
        "T": "toolshed",
        "W": "wood",
        "F": "factory",
    }
    once = ("entrance", "factory")
    several = ("exit", "key place", "toolshed", "wood")

    def __init__(self, grid: GridMap | None = None, *, key_start: str = "K1", slip: float = 0.0) -> None:
        super().__init__(grid)
        self.slip = checked_probability(self, "slip", slip)
        self.key_cells = tuple(self.grid.number[cell] for cell in self.grid.cells("key place"))
        self.key_places = tuple(f"K{n + 1}" for n in range(len(self.key_cells)))
        if key_start not in (*self.key_places, "uniform"):
            raise UnknownName("key place", key_start, (*self.key_places, "uniform"), place=type(self).__name__)
        self.key_starts = range(len(self.key_places)) if key_start == "uniform" else [self.key_places.index(key_start)]
        self.door = self.at("entrance") | self.at("exit")

    def moved(self, state: Any, ahead: Any) -> Any:
        """What a move may lead to: the states ahead, or, on a slippery floor, the states as they were."""
        return [(1.0 - self.slip, ahead), (self.slip, state)] if self.slip else ahead

    def fields_of_follower(self, state: type[Any]) -> tuple[int, int, tuple[int, ...], dict[str, tuple[str, ...]]]:
        """For an agent that may find the key gone: key's numbers for gone and held, sizes and words of its state.

        state: a NamedTuple of cell, key (the key places, gone, held) and then flags.
        """
        gone, held = len(self.key_places), len(self.key_places) + 1
        flags = state._fields[2:]
        sizes = (len(self.grid.floor), held + 1, *[2] * len(flags))
        return gone, held, sizes, {"key": (*self.key_places, "gone", "held"), **dict.fromkeys(flags, ("no", "yes"))}

    def marks_of_key(self, key: int) -> tuple[Mark, ...]:
        """The key where it lies; nothing where an agent holds it."""
        if key >= len(self.key_cells):
            return ()
        row, column = self.coordinates(self.key_cells[key])
        return (Mark(row, column, "k", "key", "object"),)

    def marks_of_spares(self, hammer: bool, wood: bool) -> tuple[Mark, ...]:
        """The spare hammer and wood that lie at the factory."""
        row, column = self.coordinates(self.cell("factory"))
        spares = (("h", "extra hammer", hammer), ("w", "extra wood", wood))
        return tuple(Mark(row, column, glyph, name, "object") for glyph, name, there in spares if there)
