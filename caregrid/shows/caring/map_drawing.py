"""A map as a drawing that is changed cell by cell, in the letters of a scenario's legend."""

from __future__ import annotations

from collections.abc import Mapping

from craftworld.scenario import Scenario
from engine.grid import GridMap
from engine.grid.grid_map import FLOOR, WALL
from engine.scene import Mark

_Names = tuple[str, ...]


class MapDrawing:
    """The rows of a map and what may be drawn on them.

    scenario: on the map to begin with. glyphs: "#" for wall, " " or "." for floor and those of the legend -> what they
    stand for. A feature that a map shows exactly once is moved when it is drawn elsewhere.
    """

    def __init__(self, scenario: Scenario) -> None:
        legend: Mapping[str, str | _Names] = scenario.legend
        self._names = {glyph: (names,) if isinstance(names, str) else tuple(names) for glyph, names in legend.items()}
        self._once = frozenset(scenario.once)
        self._kind = type(scenario)
        self.rows: tuple[str, ...] = scenario.grid.rows
        self._floor = next((glyph for glyph in reversed(FLOOR) if any(glyph in row for row in self.rows)), FLOOR[0])
        self.glyphs = {WALL: "wall", self._floor: "floor"} | {
            glyph: ", ".join(names) for glyph, names in self._names.items()
        }
        self._before: list[tuple[str, ...]] = []

    @property
    def text(self) -> str:
        """The drawing as a map file."""
        return "\n".join(self.rows) + "\n"

    def put(self, cell: tuple[int, int], glyph: str) -> bool:
        """Draw a glyph on a cell; returns whether the drawing has changed."""
        rows = [list(row) for row in self.rows]
        moved = self._once.intersection(self._names.get(glyph, ()))
        for row in rows:
            for column, other in enumerate(row):
                names = self._names.get(other, ())
                if moved.intersection(names):
                    row[column] = self._glyph_of(tuple(name for name in names if name not in moved))
        rows[cell[0]][cell[1]] = glyph
        after = tuple(map("".join, rows))
        if after == self.rows:
            return False
        self._before.append(self.rows)
        self.rows = after
        return True

    def go_on(self, cell: tuple[int, int], glyph: str) -> bool:
        """As `put`, as a part of the stroke before: both are taken back together."""
        changed = self.put(cell, glyph)
        if changed and len(self._before) > 1:
            self._before.pop()
        return changed

    def undo(self) -> bool:
        """Take the last stroke back; returns whether there was one."""
        if self._before:
            self.rows = self._before.pop()
            return True
        return False

    def parsed(self) -> GridMap:
        """The map; MapError where the scenario needs another one."""
        return self._kind.parse_map(self.text, source="the drawing")

    def floor(self) -> tuple[str, ...]:
        """The rows with nothing but walls on them."""
        return tuple("".join(WALL if glyph == WALL else FLOOR[0] for glyph in row) for row in self.rows)

    def marks(self) -> tuple[Mark, ...]:
        """Every feature that is drawn."""
        return tuple(
            Mark(row, column, glyph, self.glyphs.get(glyph, glyph), "feature")
            for row, line in enumerate(self.rows)
            for column, glyph in enumerate(line)
            if glyph not in WALL + FLOOR
        )

    def _glyph_of(self, names: _Names) -> str:
        """The glyph that stands for exactly these features; floor where there is none."""
        return next((glyph for glyph, known in self._names.items() if names and set(known) == set(names)), self._floor)
