"""Grid maps drawn as text: rows of glyphs plus a legend, checked when parsed, with every cell numbered.

A cell is (row, column), row 0 at the top. "#" is wall, " " and "." are plain floor; every other glyph needs the legend.
Moves are UP, DOWN, LEFT, RIGHT; a move into a wall, off the map or into a blocked cell stays put.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import (
    BadFile,
    DuplicateFeature,
    MapError,
    MissingFeature,
    RaggedRows,
    UnknownGlyph,
    UnreachableFeature,
)

if TYPE_CHECKING:
    import networkx as nx

UP, DOWN, LEFT, RIGHT = range(4)
MOVES = ("up", "down", "left", "right")
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
WALL = "#"
FLOOR = " ."


class Cell(NamedTuple):
    """A place on a map; row 0 is the top row."""

    row: int
    column: int


@dataclass(frozen=True)
class GridMap:
    """A parsed map: its rows, the features on it and where it came from.

    rows: the drawing, all rows equally long. features: name -> its cells in reading order. source: for messages.
    """

    rows: tuple[str, ...]
    features: Mapping[str, tuple[Cell, ...]]
    source: str = "map"

    @classmethod
    def parse(
        cls,
        art: str,
        legend: Mapping[str, str | tuple[str, ...]],
        *,
        once: Iterable[str] = (),
        several: Iterable[str] = (),
        source: str = "map",
    ) -> GridMap:
        """The map of a drawing.

        art: rows of glyphs, one a line. legend: glyph -> name of the feature, or several names. once: features that
        must be drawn exactly once. several: at least once. source: what messages call the map.
        Raises RaggedRows, UnknownGlyph, MissingFeature or DuplicateFeature, showing the line and a caret.
        """
        rows = _rows(art, source)
        features: dict[str, list[Cell]] = {}
        for r, line in enumerate(rows):
            for c, glyph in enumerate(line):
                if glyph == WALL or glyph in FLOOR:
                    continue
                if glyph not in legend:
                    raise UnknownGlyph(
                        f"unknown glyph '{glyph}'",
                        place=f"{source}, row {r}, column {c}",
                        remedy="use "
                        + ", ".join(f"'{known}' {_names(legend[known])}" for known in legend)
                        + " or '#', ' ', '.'",
                        line=line,
                        column=c,
                    )
                for name in _as_tuple(legend[glyph]):
                    features.setdefault(name, []).append(Cell(r, c))
        grid = cls(rows, {name: tuple(cells) for name, cells in features.items()}, source)
        glyphs = {name: glyph for glyph, names in legend.items() for name in _as_tuple(names)}
        for name in [*once, *several]:
            if name not in grid.features:
                raise MissingFeature(
                    f"no '{name}' on the map", place=source, remedy=f"draw it as '{glyphs.get(name, name)}'"
                )
        for name in once:
            grid.only(name)
        return grid

    @classmethod
    def parse_file(
        cls,
        path: str | Path,
        legend: Mapping[str, str | tuple[str, ...]],
        *,
        once: Iterable[str] = (),
        several: Iterable[str] = (),
    ) -> GridMap:
        """The map of the drawing in a text file (UTF-8); otherwise as `parse`; BadFile where it cannot be read."""
        try:
            art = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = (getattr(error, "strerror", None) or "").lower() or "not UTF-8 text"
            raise BadFile(f"cannot read the map: {reason}", place=str(path)) from error
        return cls.parse(art, legend, once=once, several=several, source=str(path))

    def cells(self, name: str) -> tuple[Cell, ...]:
        """All cells of a feature in reading order (empty where it is not drawn)."""
        return self.features.get(name, ())

    def only(self, name: str) -> Cell:
        """The one cell of a feature; MissingFeature or DuplicateFeature otherwise."""
        cells = self.cells(name)
        if not cells:
            raise MissingFeature(f"no '{name}' on the map", place=self.source, remedy="draw it once")
        if len(cells) > 1:
            second = cells[1]
            raise DuplicateFeature(
                f"'{name}' is drawn {len(cells)} times",
                place=f"{self.source}, row {second.row}, column {second.column}",
                remedy="draw it once",
                line=self.rows[second.row],
                column=second.column,
            )
        return cells[0]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), len(self.rows[0])

    def is_wall(self, cell: Cell) -> bool:
        """Whether a cell is wall or off the map."""
        height, width = self.shape
        inside = 0 <= cell.row < height and 0 <= cell.column < width
        return not inside or self.rows[cell.row][cell.column] == WALL

    def move(self, cell: Cell, action: int, blocked: Collection[Cell] = ()) -> Cell:
        """The cell that a move (UP, DOWN, LEFT, RIGHT) leads to: its own at walls, edges and blocked cells."""
        down, right = STEPS[action]
        target = Cell(cell.row + down, cell.column + right)
        return cell if self.is_wall(target) or target in blocked else target

    @cached_property
    def floor(self) -> tuple[Cell, ...]:
        """Every cell that is not wall, in reading order; a cell's position here is its number."""
        return tuple(Cell(r, c) for r, line in enumerate(self.rows) for c, glyph in enumerate(line) if glyph != WALL)

    @cached_property
    def number(self) -> Mapping[Cell, int]:
        """Floor cell -> its number."""
        return {cell: n for n, cell in enumerate(self.floor)}

    @cached_property
    def moves(self) -> NDArray[np.int32]:
        """int32[cells, 4]: the number of the floor cell that each move leads to."""
        table = [[self.number[self.move(cell, action)] for action in range(4)] for cell in self.floor]
        return np.array(table, dtype=np.int32).reshape(len(self.floor), 4)

    def to_graph(self, blocked: Collection[Cell] = ()) -> nx.Graph[Cell]:
        """Floor cells and the steps between neighbours, as an undirected graph."""
        import networkx as nx  # a quarter of a second that listing scenarios need not wait for

        graph: nx.Graph[Cell] = nx.Graph()
        graph.add_nodes_from(cell for cell in self.floor if cell not in blocked)
        for cell in graph.nodes:
            for action in (DOWN, RIGHT):
                target = self.move(cell, action, blocked)
                if target != cell:
                    graph.add_edge(cell, target)
        return graph

    def distances(self, goal: Cell, blocked: Collection[Cell] = ()) -> dict[Cell, int]:
        """Cell -> fewest steps to the goal, for cells that can reach it; empty where the goal is wall or blocked."""
        import networkx as nx

        graph = self.to_graph(blocked)
        return dict(nx.single_source_shortest_path_length(graph, goal)) if goal in graph else {}

    def require_reachable(self, start: str, names: Iterable[str]) -> None:
        """UnreachableFeature where some cell of a named feature cannot be reached from the feature `start`."""
        first = self.cells(start)
        if not first:
            raise MissingFeature(f"no '{start}' on the map", place=self.source, remedy="draw it")
        reached = self.distances(first[0])
        for name in names:
            for cell in self.cells(name):
                if cell not in reached:
                    raise UnreachableFeature(
                        f"'{name}' cannot be reached from '{start}'",
                        place=f"{self.source}, row {cell.row}, column {cell.column}",
                        remedy="open a way through the walls",
                        line=self.rows[cell.row],
                        column=cell.column,
                    )


def _rows(art: str, source: str) -> tuple[str, ...]:
    """The rows of a drawing; blank lines around it are dropped, unless they are as long as a row (floor)."""
    lines = [line.rstrip("\r") for line in art.split("\n")]
    width = max((len(line) for line in lines if line.strip()), default=None)
    while lines and not lines[0].strip() and len(lines[0]) != width:
        lines.pop(0)
    while lines and not lines[-1].strip() and len(lines[-1]) != width:
        lines.pop()
    if not lines:
        raise MapError("the map is empty", place=source, remedy="draw at least one floor cell")
    for r, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise RaggedRows(
                f"row {r} has {len(line)} glyphs, row 0 has {len(lines[0])}",
                place=source,
                remedy="make all rows equally long",
                line=line,
                column=min(len(line), len(lines[0])),
            )
    return tuple(lines)


def _as_tuple(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _names(names: str | tuple[str, ...]) -> str:
    return " and ".join(_as_tuple(names))
