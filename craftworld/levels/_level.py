"""What the classic levels have in common: maps, layers of letters, 100 steps, an optional action that does nothing.

Differs from the paper
- levels that only the step limit ends have a discount of 0.99 where they are solved without a limit; their optima
  within the limit are not discounted.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from craftworld.scenario import MOVES, Scenario
from engine.errors import BadValue
from engine.grid import Cell, GridMap
from engine.scene import Mark, Scene
from engine.value_types import show_number

NOOP = "noop"
STEPS = 100
ROLES = {"agent": "agent", "goal": "goal"}


class Layer(NamedTuple):
    """The cells that show a letter."""

    letter: str
    cells: Iterable[Cell]


class Level(Scenario):
    """A level. maps: its drawings before the first action; the first is also `art`.

    roles: the colour role of each feature of the legend, "object" by default. also_shown: the names of letters that no
    map has. map: the number of the drawing. noop: "yes" adds an action that moves nobody.
    """

    maps: ClassVar[tuple[str, ...]]
    roles: ClassVar[Mapping[str, str]] = ROLES
    also_shown: ClassVar[Mapping[str, str]] = {}
    entrance = "agent"
    once: ClassVar[tuple[str, ...]] = ("agent",)
    time_limit = STEPS
    default_formulation = "relative_reachability_starting_state"

    def __init__(self, grid: GridMap | None = None, *, map: int = 0, noop: str = "no") -> None:
        drawing = self.maps[require_choice(self, "map", map, range(len(self.maps)))]
        super().__init__(grid or self.parse_map(drawing, source=f"{type(self).__name__}, map {map}"))
        self.actions = (*MOVES, NOOP) if require_choice(self, "noop", noop, ("no", "yes")) == "yes" else MOVES

    @abstractmethod
    def layers(self, state: Any) -> Iterable[Layer]:
        """Return the letters that a state (plain integers) shows, in drawing order: the last one on a cell is seen."""

    def scene(self, state: Any) -> Scene:
        marks = [
            Mark(cell.row, cell.column, layer.letter, name, self.roles.get(name, self.roles.get(names[0], "object")))
            for layer in self.layers(state)
            for name, names in [(self._name_of(layer.letter), self._names_of(layer.letter))]
            for cell in layer.cells
        ]
        return Scene(self.grid.walls, tuple(marks))

    def inaction(self, state: Any) -> Any:
        """Return the next states of the action that moves nobody, whether the agent may choose it or not."""
        return self.step(state, len(MOVES))

    def agent(self, state: Any, letter: str = "A") -> Layer:
        """Return the layer of the agent."""
        return Layer(letter, (self.coordinates(state.cell),))

    def fixtures(self, letter: str) -> Layer:
        """Return the layer of a feature that stays where the map shows it."""
        name = self.legend[letter]
        assert isinstance(name, str)
        return Layer(letter, self.grid.cells(name))

    def _names_of(self, letter: str) -> tuple[str, ...]:
        names = self.legend.get(letter, self.also_shown.get(letter, letter))
        return (names,) if isinstance(names, str) else names

    def _name_of(self, letter: str) -> str:
        """Return the first thing that this letter shows and no other one does."""
        names = self._names_of(letter)
        shared = {name for other in self.legend if other != letter for name in self._names_of(other)}
        return next((name for name in names if name not in shared), names[0])


def require_choice(level: Scenario, name: str, value: Any, choices: Sequence[Any]) -> Any:
    """Return an option's value; BadValue lists the choices where it is none of them."""
    for choice in choices:
        if isinstance(value, int | float | str) and value == choice and not isinstance(value, bool):
            return choice
    listed = ", ".join(str(choice) for choice in choices)
    raise BadValue(f"{name} = {show_number(value)}", place=type(level).__name__, remedy=f"choose from {listed}")
