"""A scenario's exact solution in the viewer; keys change care, formulation and map, and it is solved again at once.

`ViewableSolution` shows the solution. `MapDrawing` is a map that is changed cell by cell, in the letters of the
scenario's legend. `EditableSolution` shows the solution, and while the map is drawn, the drawing with the path on it.
"""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from caregrid.programmes.caring.scenes import (
    PATH,
    SolvedEpisode,
    draw_path,
    draw_solution,
    follow_learned_policy,
    list_overlays,
    locate,
    solve_episodes,
    write_possessive,
    write_value,
)
from caregrid.programmes.screen import find_free_name
from craftworld.scenario import Scenario
from craftworld.solution.exact_solution import find_break_points, solve
from craftworld.solution.problem import Problem
from engine.errors import BadValue, CaregridError, NoPlan
from engine.files import write_atomically
from engine.grid import FLOOR, WALL, GridMap
from engine.plain_values import write_number
from engine.scene import Mark, NumberLine, Path, Scene, Stretch
from experiments.figures.labels import format_name
from renderers.viewer.viewable import Button, Readings, Viewable, describe_cell

if TYPE_CHECKING:
    from experiments.learned_policy import LearnedPolicy


CARE_STEP = 0.25
SOLUTION_KEYS = {
    "up": ("more care", "care up, solved again"),
    "down": ("less care", "care down, solved again"),
    "page up": ("next break point", "care to the next break point"),
    "page down": ("last break point", "care to the break point before"),
    "f": ("formulation", "next formulation"),
}
BUTTONS = (
    Button("page down", "break point before"),
    Button("page up", "next break point"),
    Button("f", "formulation"),
)
MOST_STATES_AT_ONCE = 20_000
POLICY_KEY = {"p": ("policy", "next policy: learned or optimal")}


class ViewableSolution(Viewable):
    """The scenes of a scenario's exact solution.

    make_problem: formulation -> the problem. formulations: those to choose from, the first one is shown first.
    care: the caring coefficient at the beginning. seed: where chance decides, which sample of it is shown.
    learned: learned policies, of which the first is shown first; the paths of all are drawn together.
    """

    def __init__(
        self,
        make_problem: Callable[[str], Problem],
        formulations: Sequence[str],
        care: float,
        seed: int = 0,
        learned: Sequence[LearnedPolicy] = (),
    ) -> None:
        self.care = care
        self._seed = seed
        self._learned: list[LearnedPolicy | None] = [*learned, None]
        self._make_problem = make_problem
        self._formulations = list(formulations)
        self._problems: dict[str, Problem] = {}
        self._points: dict[str, list[float]] = {}
        self._of_learned: dict[tuple[str, str], list[SolvedEpisode]] = {}
        self._optimal: list[SolvedEpisode] = solve_episodes(self.problem, care, seed)
        self.title = format_name(self.problem.scenario.name)

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Up, down, page up and page down change the coefficient, f the formulation, p the policy."""
        return SOLUTION_KEYS | (POLICY_KEY if len(self._learned) > 1 else {})

    @property
    def buttons(self) -> Sequence[Button]:
        """Break points and formulations."""
        return BUTTONS if len(self._formulations) > 1 else BUTTONS[:2]

    @property
    def slider(self) -> NumberLine:
        """The coefficient between its break points; those of a large problem are found when they are asked for."""
        found = self._points.get(self._formulations[0])
        if found is None and len(self.problem.mdp.states) <= MOST_STATES_AT_ONCE:
            found = self._break_points()
        points = tuple(point for point in found or () if point > 0)
        number = bisect.bisect_right(points, self.care)
        stretches = tuple(Stretch("", "path 0" if n == number else "plain") for n in range(len(points) + 1))
        return NumberLine("care", points, stretches, at=self.care)

    def slide(self, number: float, index: int) -> int:
        """Take another coefficient; the acting agent's whole path is shown, so that what changes is seen at once."""
        self._solve_at(float(write_number(number, 3)))
        return len(self._episodes[0]) - 1

    @property
    def problem(self) -> Problem:
        """The problem under the chosen formulation."""
        name = self._formulations[0]
        if name not in self._problems:
            self._problems[name] = self._make_problem(name)
        return self._problems[name]

    @property
    def _episodes(self) -> list[SolvedEpisode]:
        """The episodes of the policy that is shown."""
        return self._follow_policy(self._learned[0])

    def _follow_policy(self, learned: LearnedPolicy | None) -> list[SolvedEpisode]:
        """Return the episodes of a learned policy, of the optimal one for None."""
        if learned is None:
            return self._optimal
        key = self._formulations[0], learned.label
        if key not in self._of_learned:
            self._of_learned[key] = follow_learned_policy(self.problem, learned, self._seed)
        return self._of_learned[key]

    def __len__(self) -> int:
        return sum(map(len, self._episodes))

    def overlays(self) -> Sequence[str]:
        """List them: path, policy, values, visit counts, none."""
        return list_overlays(self._episodes)

    def scene(self, index: int, overlay: str) -> Scene:
        """Return a scene with one overlay; care and formulation among its readings."""
        scene = draw_solution(self._episodes, index, overlay)
        readings = [*self._care_readings(), ("formulation", format_name(self._formulations[0]))]
        if len(self._learned) == 1:
            return replace(scene, readings=(*readings, *scene.readings))
        shown, *others = self._learned
        readings.insert(0, ("policy", _name_policy(shown)))
        beside = self._paths(others) if overlay == PATH else ()
        return replace(scene, readings=(*readings, *scene.readings), overlays=(*beside, *scene.overlays))

    def _paths(self, others: Sequence[LearnedPolicy | None]) -> tuple[Path, ...]:
        """Return the acting agent's whole paths under other policies than the one that is shown."""
        first = [self._follow_policy(other)[0] for other in others]
        labels = [_name_policy(other) for other in others]
        return tuple(
            draw_path(episode, len(episode) - 1, f"{label} path", f"path {number}")
            for number, (episode, label) in enumerate(zip(first, labels, strict=True), start=1)
        )

    def whole_path(self) -> Scene:
        """Return the acting agent's last scene with its whole path."""
        return self.scene(len(self._episodes[0]) - 1, PATH)

    def break_point_readings(self) -> Readings:
        """Return the coefficient, all break points, and what the optimum leads to."""
        points = ", ".join(write_value(point) for point in self._break_points())
        outcome, _ = solve(self.problem, self.care)
        own = (("own return", write_value(outcome.own)),)
        others = ((f"{write_possessive(name)} return", write_value(value)) for name, value in outcome.others.items())
        return (("break points", points or "none"), *self._care_readings(), *own, *others)

    def on_map(self, make_problem: Callable[[str], Problem], formulations: Sequence[str]) -> ViewableSolution:
        """Return the same coefficient and formulation on another map; NoPlan where there is no finite solution."""
        formulation = self._formulations[0]
        rest = [name for name in formulations if name != formulation]
        return ViewableSolution(make_problem, [formulation, *rest], self.care, self._seed)

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Return what stands there, and every value and the policy's action if the agent were there."""
        return inspect_cell(self._episodes, index, cell)

    def execute(self, command: str, index: int) -> int:
        """Change care or formulation and solve again; the film starts over where it has become shorter.

        Raises NoPlan, and changes nothing, where there is no finite solution.
        """
        if command == "formulation":
            self._next_formulation()
        elif command == "policy":
            self._learned.append(self._learned.pop(0))
        else:
            self._solve_at(self._next_care(command))
        return index if index < len(self) else 0

    def _solve_at(self, care: float) -> None:
        """Another coefficient; nothing changes where there is no finite solution."""
        self._optimal = solve_episodes(self.problem, care, self._seed)
        self.care = care

    def _next_formulation(self) -> None:
        """The next formulation that applies to this scenario and can be solved."""
        while True:
            self._formulations.append(self._formulations.pop(0))
            with contextlib.suppress(BadValue, NoPlan):
                self._optimal = solve_episodes(self.problem, self.care, self._seed)
                return

    def _next_care(self, command: str) -> float:
        if command in ("more care", "less care"):
            return self.care + (CARE_STEP if command == "more care" else -CARE_STEP)
        points = self._break_points()
        if command == "next break point":
            return min((point for point in points if point > self.care), default=self.care)
        return max((point for point in points if point < self.care), default=self.care)

    def _break_points(self) -> list[float]:
        """Those of the chosen formulation, found once."""
        name = self._formulations[0]
        if name not in self._points:
            self._points[name] = find_break_points(self.problem)
        return self._points[name]

    def _care_readings(self) -> Readings:
        """Return the coefficient, and the segment in which it lies where break points are known."""
        care = ("care", write_value(self.care))
        points = self._points.get(self._formulations[0])
        if points is None:
            return (care,)
        number = bisect.bisect_right(points, self.care)
        low = write_value(points[number - 1]) if number else ""
        high = write_value(points[number]) if number < len(points) else ""
        span = f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}" if high else "all"
        return (care, ("same path", span))


def _name_policy(learned: LearnedPolicy | None) -> str:
    return "optimal" if learned is None else learned.label


def inspect_cell(episodes: Sequence[SolvedEpisode], scene: int, cell: tuple[int, int]) -> Readings:
    """What stands on a cell of a scene, and every value and the policy's action if the acting agent were there."""
    solved, step = locate(episodes, scene)
    scenario = solved.chapter.scenario
    state = solved.chapter.episode.states[step]
    readings = list(describe_cell(solved.chapter.scene(state), cell))
    table, policy, values = solved.solution
    floor_cell = next((floor for floor in scenario.grid.floor if floor == cell), None)
    other = None if floor_cell is None else scenario.with_agent_at(state, floor_cell)
    index = None if other is None else table.index.get(other)
    if index is not None:
        readings += [(name, write_value(float(value[index]))) for name, value in values.items()]
        if not table.terminal[index]:
            readings.append(("would do", table.actions[policy[index]]))
    return tuple(readings)


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
        """Put something as a part of the stroke before: both are taken back together."""
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
        """Return the map; MapError where the scenario needs another one."""
        return self._kind.parse_map(self.text, source="the drawing")

    def floor(self) -> tuple[str, ...]:
        """Return the rows with nothing but walls on them."""
        return tuple("".join(WALL if glyph == WALL else FLOOR[0] for glyph in row) for row in self.rows)

    def marks(self) -> tuple[Mark, ...]:
        """Return every feature that is drawn."""
        return tuple(
            Mark(row, column, glyph, self.glyphs.get(glyph, glyph), "feature")
            for row, line in enumerate(self.rows)
            for column, glyph in enumerate(line)
            if glyph not in WALL + FLOOR
        )

    def _glyph_of(self, names: _Names) -> str:
        """Return the glyph that stands for exactly these features; floor where there is none."""
        return next(
            (glyph for glyph, meanings in self._names.items() if names and set(meanings) == set(names)), self._floor
        )


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
        """Take another coefficient."""
        index = self._solution.slide(number, index)
        return index if self._drawing is None else 0

    @property
    def painting(self) -> bool:
        """While the map is drawn."""
        return self._drawing is not None

    def __len__(self) -> int:
        return len(self._solution) if self._drawing is None else 1

    def overlays(self) -> Sequence[str]:
        """Return the solution's; the path alone while the map is drawn."""
        return self._solution.overlays() if self._drawing is None else (PATH,)

    def scene(self, index: int, overlay: str) -> Scene:
        """Return a scene of the solution, or the drawing with the agent's whole path."""
        if self._drawing is None:
            return self._solution.scene(index, overlay)
        drawn = Scene(self._drawing.floor(), self._drawing.marks(), caption="click to draw", columns=0)
        brush = ("drawing", self._drawing.glyphs[self._brush])
        if self._refused:
            return replace(drawn, readings=(brush, ("no map yet", self._refused)))
        whole = self._solution.whole_path()
        return replace(drawn, overlays=whole.overlays, readings=(brush, *self._solution.break_point_readings()))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Inspect a cell as the solution does."""
        return self._solution.inspect(index, cell) if self._drawing is None else ()

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """Draw at the cell while the map is drawn."""
        if self._drawing is None:
            return self._solution.click(panel, cell, index)
        self._stroke = self._drawing.put(cell, self._brush)
        if self._stroke:
            self._solve_again()
        return 0

    def paint(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """Go on with the stroke."""
        if self._drawing is None or not self._stroke:
            return self.click(panel, cell, index)
        if self._drawing.go_on(cell, self._brush):
            self._solve_again()
        return 0

    def execute(self, command: str, index: int) -> int:
        """Return the solution's commands, and those of drawing; a drawing that is not a map is not left."""
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
        path = find_free_name("map", "txt")
        write_atomically(path, self._drawing.text.encode())
        self.message = f"saved {path.name}"
