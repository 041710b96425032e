"""Grid maps: every parsing error with its line and caret, round trips, moves and distances."""

import re
import tracemalloc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import (
    BadFile,
    DuplicateFeature,
    MapError,
    MissingFeature,
    RaggedRows,
    UnknownGlyph,
    UnreachableFeature,
)
from engine.grid import DOWN, LEFT, MOVES, RIGHT, UP, Cell, GridMap

LEGEND = {"E": "entrance", "X": "exit", "K": "key place", "B": ("bed", "table")}
ROOM = """
#####
#E K#
#.#B#
#X K#
#####
"""


def room() -> GridMap:
    return GridMap.parse(ROOM, LEGEND, once=("entrance", "exit"), several=("key place",), source="room.txt")


def test_a_parsed_map_knows_its_features_in_reading_order() -> None:
    grid = room()
    assert grid.shape == (5, 5)
    assert grid.only("entrance") == Cell(1, 1)
    assert grid.cells("key place") == (Cell(1, 3), Cell(3, 3))
    assert grid.cells("bed") == grid.cells("table") == (Cell(2, 3),)
    assert grid.cells("bath") == ()
    assert "\n".join(grid.rows) == ROOM.strip()


@pytest.mark.parametrize(
    ("art", "kind", "message", "excerpt"),
    [
        ("#####\n#E X\n#####", RaggedRows, "row 1 has 4 glyphs, row 0 has 5", "#E X\n    ^"),
        ("#####\n#E X###\n#####", RaggedRows, "row 1 has 7 glyphs, row 0 has 5", "#E X###\n     ^"),
        ("#####\n#EQX#\n#####", UnknownGlyph, "row 1, column 2: unknown glyph 'Q'", "#EQX#\n  ^"),
        ("#####\n#E\tX#\n#####", UnknownGlyph, "row 1, column 2: unknown glyph '\\t'", "#E\tX#\n  ^"),
        ("#####\n#E  #\n#####", MissingFeature, "no 'exit' on the map; draw it as 'X'", ""),
        ("#####\n#EXE#\n#####", DuplicateFeature, "row 1, column 3: 'entrance' is drawn 2 times", "#EXE#\n   ^"),
        ("", MapError, "the map is empty", ""),
        ("\n \n\n", MapError, "the map is empty", ""),
    ],
)
def test_each_fault_is_named_and_shown(art: str, kind: type[MapError], message: str, excerpt: str) -> None:
    with pytest.raises(kind, match=re.escape(message)) as caught:
        GridMap.parse(art, LEGEND, once=("entrance", "exit"), source="mine")
    assert type(caught.value) is kind
    assert caught.value.excerpt() == excerpt
    assert "mine" in str(caught.value)
    assert str(caught.value).endswith(excerpt)


def test_an_unknown_glyph_is_answered_with_the_legend() -> None:
    with pytest.raises(UnknownGlyph, match="use 'E' entrance, 'X' exit, 'K' key place, 'B' bed and table or '#'"):
        GridMap.parse("Q", LEGEND)


def test_a_walled_off_feature_is_named_with_its_place() -> None:
    grid = GridMap.parse("#####\n#E#K#\n#####", LEGEND, source="mine")
    with pytest.raises(UnreachableFeature, match="mine, row 1, column 3: 'key place' cannot be reached") as caught:
        grid.require_reachable("entrance", ["key place"])
    assert caught.value.excerpt() == "#E#K#\n   ^"
    grid.require_reachable("entrance", ["entrance", "nothing drawn"])
    with pytest.raises(MissingFeature, match="no 'exit' on the map"):
        grid.require_reachable("exit", ["key place"])


def test_only_wants_exactly_one() -> None:
    with pytest.raises(DuplicateFeature):
        room().only("key place")
    with pytest.raises(MissingFeature):
        room().only("bath")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_of_any_editor_are_read(tmp_path: Path, newline: str, mark: str) -> None:
    path = tmp_path / "room.txt"
    path.write_bytes((mark + ROOM.replace("\n", newline)).encode())
    assert GridMap.parse_file(path, LEGEND).rows == room().rows


def test_maps_of_too_many_cells_are_refused_before_they_are_read() -> None:
    with pytest.raises(MapError, match="a map of 2000 rows and 2001 columns; draw at most 4,000,000 cells"):
        GridMap.parse("\n".join(["?" * 2001] * 2000), LEGEND)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"missing\.txt: map file not found; name a drawing"):
        GridMap.parse_file(tmp_path / "missing.txt", LEGEND)
    (tmp_path / "latin.txt").write_bytes("#\xe9#".encode("latin-1"))
    with pytest.raises(BadFile, match="not UTF-8 text"):
        GridMap.parse_file(tmp_path / "latin.txt", LEGEND)
    with pytest.raises(BadFile, match="it is a folder"):
        GridMap.parse_file(tmp_path, LEGEND)


def test_moves_and_what_stops_them() -> None:
    grid = room()
    assert MOVES == ("up", "down", "left", "right")
    start = Cell(1, 1)
    assert [grid.move(start, action) for action in (UP, DOWN, LEFT, RIGHT)] == [start, (2, 1), start, (1, 2)]
    assert grid.move(start, DOWN, blocked={Cell(2, 1)}) == start
    open_edge = GridMap.parse("E", LEGEND)
    assert [open_edge.move(Cell(0, 0), action) for action in range(4)] == [(0, 0)] * 4


def test_distances_round_a_wall() -> None:
    grid = room()
    assert grid.distances(Cell(1, 1))[Cell(3, 3)] == 4
    assert Cell(3, 1) not in grid.distances(Cell(1, 1), blocked={Cell(2, 1), Cell(2, 3)})
    assert grid.distances(Cell(0, 0)) == {}
    assert grid.distances(Cell(1, 1), blocked={Cell(1, 1)}) == {}


ROWS = (
    st.integers(1, 6)
    .flatmap(lambda width: st.lists(st.text("# .E", min_size=width, max_size=width), min_size=1, max_size=6))
    .filter(lambda rows: "".join(rows).strip())
)


@given(ROWS)
@settings(max_examples=150, deadline=None)
def test_every_drawing_of_equal_rows_comes_back_as_drawn(rows: list[str]) -> None:
    grid = GridMap.parse("\n".join(rows), LEGEND)
    assert grid.rows == tuple(rows)
    assert grid.cells("entrance") == tuple(
        Cell(r, c) for r, row in enumerate(rows) for c, glyph in enumerate(row) if glyph == "E"
    )


@given(ROWS, st.data())
@settings(max_examples=100, deadline=None)
def test_no_move_enters_a_wall_and_all_tables_agree(rows: list[str], data: st.DataObject) -> None:
    grid = GridMap.parse("\n".join(rows), LEGEND)
    blocked = data.draw(st.sets(st.sampled_from(grid.floor), max_size=3)) if grid.floor else set()
    for cell in grid.floor:
        for action in range(4):
            target = grid.move(cell, action, blocked)
            assert not grid.is_wall(target)
            assert target == cell or target not in blocked
            assert abs(target.row - cell.row) + abs(target.column - cell.column) <= 1
            assert grid.floor[grid.moves[grid.number[cell], action]] == grid.move(cell, action)
    assert grid.moves.shape == (len(grid.floor), 4)


@given(ROWS, st.data())
@settings(max_examples=100, deadline=None)
def test_distances_are_those_of_a_lattice_with_its_walls_removed(rows: list[str], data: st.DataObject) -> None:
    grid = GridMap.parse("\n".join(rows), LEGEND)
    if not grid.floor:
        return
    goal = data.draw(st.sampled_from(grid.floor))
    lattice = nx.grid_2d_graph(*grid.shape)
    lattice.remove_nodes_from([(r, c) for r, row in enumerate(rows) for c, glyph in enumerate(row) if glyph == "#"])
    expected = nx.single_source_shortest_path_length(lattice, tuple(goal))
    assert {tuple(cell): steps for cell, steps in grid.distances(goal).items()} == dict(expected)
    assert np.all(grid.moves >= 0)


def test_a_million_cells_are_arrays() -> None:
    """Cells become objects one by one, when they are asked for."""
    side = 1_000
    rows = ["E" + " " * (side - 1), *[" " * side] * (side - 2), " " * (side - 1) + "X"]
    grid = GridMap.parse("\n".join(rows), LEGEND)
    tracemalloc.start()
    assert len(grid.floor) == len(grid.number) == side * side
    assert grid.distances(grid.only("entrance"))[grid.only("exit")] == 2 * (side - 1)
    assert grid.moves.shape == (side * side, 4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * side * side
    assert grid.floor[-1] == grid.floor[side * side - 1] == (side - 1, side - 1)
    assert grid.floor[1:3] == ((0, 1), (0, 2))
    with pytest.raises(KeyError):
        grid.number[Cell(-1, 0)]
