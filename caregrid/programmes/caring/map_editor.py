"""A scenario's exact solution whose map can be drawn anew in the viewer: every stroke is solved again at once.

`MapDrawing` is a map that is changed cell by cell, in the letters of the scenario's legend. `EditableSolution` shows
the solution, and while the map is drawn, the drawing with the path on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from caregrid.programmes.caring.scenes import PATH
from caregrid.programmes.caring.viewer import ViewableSolution
from caregrid.programmes.screen import find_free_name
from craftworld.scenario import Scenario
from craftworld.solution.problem import Problem
from engine.errors import CaregridError
from engine.files import write_atomically
from engine.grid import FLOOR, WALL, GridMap
from engine.scene import Mark, NumberLine, Scene
from renderers.viewer.viewable import Button, Readings, Viewable

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

    def parse(self) -> GridMap:
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


ByFormulation = tuple[Callable[[str], Problem], list[str]]
EDIT_KEY = {"e": ("edit", "draw the map, and back")}
DRAWING_KEYS = {
    "tab": ("next brush", "draw something else"),
    "u": ("undo", "take the last stroke back"),
    "w": ("save the map", "save the map as a file for --map"),
    **EDIT_KEY,
}


class EditableSolution(Viewable):
    """Shows a solution; while the map is drawn, the drawing with the path on it.

    solution: to begin with. remake: map -> the problems on it by formulation; CaregridError where it makes none.
    """

    def __init__(self, solution: ViewableSolution, remake: Callable[[GridMap], ByFormulation]) -> None:
        self._solution = solution
        self._remake = remake
        self._drawing: MapDrawing | None = None
        self._brush, self._refused, self._stroke = "#", "", False

    @property
    def title(self) -> str:  # type: ignore[override]
        """The scenario."""
        return f"{self._solution.title}{'' if self._drawing is None else ': the map'}"

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """The solution's, or those of drawing; "draw T" and the like choose what is drawn."""
        if self._drawing is None:
            return {**self._solution.keys, **EDIT_KEY}
        brushes = {f"draw {glyph}": (f"draw {glyph}", name) for glyph, name in self._drawing.glyphs.items()}
        return {**brushes, **DRAWING_KEYS}

    @property
    def buttons(self) -> Sequence[Button]:
        """The solution's, or what can be drawn."""
        if self._drawing is None:
            return [*self._solution.buttons, Button("e", "draw the map")]
        brushes = [
            Button(f"draw {glyph}", f"{name}{' (chosen)' if glyph == self._brush else ''}")
            for glyph, name in self._drawing.glyphs.items()
        ]
        return [*brushes, Button("u", "undo"), Button("w", "save the map"), Button("e", "done")]

    @property
    def slider(self) -> NumberLine | None:
        """The coefficient; none while the drawing is not a map."""
        return None if self._refused else self._solution.slider

    def slide(self, number: float, index: int) -> int:
        """Another coefficient."""
        index = self._solution.slide(number, index)
        return index if self._drawing is None else 0

    @property
    def painting(self) -> bool:
        """While the map is drawn."""
        return self._drawing is not None

    def __len__(self) -> int:
        return len(self._solution) if self._drawing is None else 1

    def overlays(self) -> Sequence[str]:
        """The solution's; the path alone while the map is drawn."""
        return self._solution.overlays() if self._drawing is None else (PATH,)

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene of the solution, or the drawing with the agent's whole path."""
        if self._drawing is None:
            return self._solution.scene(index, overlay)
        drawn = Scene(self._drawing.floor(), self._drawing.marks(), caption="click to draw", columns=0)
        chosen = ("drawing", self._drawing.glyphs[self._brush])
        if self._refused:
            return replace(drawn, readings=(chosen, ("no map yet", self._refused)))
        whole = self._solution.whole_path()
        return replace(drawn, overlays=whole.overlays, readings=(chosen, *self._solution.break_point_readings()))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """As the solution."""
        return self._solution.inspect(index, cell) if self._drawing is None else ()

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """While the map is drawn, a click draws."""
        if self._drawing is None:
            return self._solution.click(panel, cell, index)
        self._stroke = self._drawing.put(cell, self._brush)
        if self._stroke:
            self._solve_again()
        return 0

    def paint(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """The stroke goes on."""
        if self._drawing is None or not self._stroke:
            return self.click(panel, cell, index)
        if self._drawing.go_on(cell, self._brush):
            self._solve_again()
        return 0

    def execute(self, command: str, index: int) -> int:
        """The solution's commands, and those of drawing; a drawing that is not a map is not left."""
        if command == "edit":
            return self._toggle()
        if self._drawing is None:
            return self._solution.execute(command, index)
        if command == "undo" and self._drawing.undo():
            self._solve_again()
        elif command == "save the map":
            self._save()
        elif command == "next brush":
            glyphs = list(self._drawing.glyphs)
            self._brush = glyphs[(glyphs.index(self._brush) + 1) % len(glyphs)]
        elif command.startswith("draw "):
            self._brush = command.removeprefix("draw ")
        return 0

    def _toggle(self) -> int:
        if self._drawing is None:
            drawing = MapDrawing(self._solution.problem.scenario)
            self._remake(drawing.parse())
            self._drawing = drawing
            self._refused = ""
        elif self._refused:
            self.message = f"no map yet: {self._refused}"
        else:
            self._drawing = None
        return 0

    def _solve_again(self) -> None:
        """The problem on the drawing, at the same coefficient and under the same formulation."""
        assert self._drawing is not None
        try:
            self._solution = self._solution.on_map(*self._remake(self._drawing.parse()))
            self._refused = ""
        except CaregridError as error:
            self._refused = str(error)

    def _save(self) -> None:
        assert self._drawing is not None
        path: Path = find_free_name("map", "txt")
        write_atomically(path, self._drawing.text.encode())
        self.message = f"saved {path.name}"
