"""Storyboards: scenes in, drawings out."""

import io
from dataclasses import replace

from engine.scene import Bar, Bars, Edge, Film, Graph, Mark, Node, Path, Scene, Strip, Tick
from renderers.text import draw, shows_colour


def test_a_scene_with_key_overlays_and_readings(film: Film) -> None:
    assert draw(film[3]) == "\n".join(
        [
            "step 3",
            "#####   #####              #####",
            "#>>v#   #air#              #>>v#",
            "#kp@#   #irz#              #  *#",
            "#####   #####              #####",
            "        value: a -3, z 0   path",
            "key: k key, G goal, @ agent",
            "return: -3",
        ]
    )


def test_what_a_terminal_would_obey_is_written_out(film: Film) -> None:
    odd = "\x1b]0;a title\x07 \x1b[2J \u202e"
    marks = (Mark(1, 1, "\x1b", odd), *film[0].marks)
    scene = replace(film[0], caption=odd, marks=marks, readings=((odd, odd),))
    assert all(letter.isprintable() or letter == "\n" for letter in draw(scene))
    assert "\x1b[1;38;2;" in draw(scene, coloured=True)
    assert "\x1b[2J" not in draw(scene, coloured=True)


def test_the_topmost_mark_is_seen(film: Film) -> None:
    covered = replace(film[0], marks=(*film[0].marks, Mark(1, 1, "X", "lid")), overlays=())
    assert draw(covered, legend=False).splitlines()[2] == "#X  #"


def test_panels_stand_side_by_side_and_wrap_by_columns() -> None:
    panel = Scene(("# #",), (Mark(0, 1, "A", "a"),), caption="slot")
    drawn = draw(Scene(caption="three", panels=(panel,) * 3, columns=2), legend=False)
    assert drawn.splitlines() == ["three", "slot   slot", "#A#    #A#", "slot", "#A#"]


def test_charts_in_words() -> None:
    bars = Bars("P", (Bar("1", 0.5, text="1/2"), Bar("2", 0.25)), limit=1.0)
    strip = Strip("rewards", (Tick("+1"), Tick("-1"), Tick("")), now=1)
    graph = Graph("tree", (Node("a", 0, 0), Node("b", 1, 0, crossed=True), Node("c", 1, 1)), (Edge("a", "b"),))
    assert draw(Scene(charts=(bars, strip, graph))).splitlines() == [
        "P:",
        "  1 ##########           1/2",
        "  2 #####                0.25",
        "rewards:",
        "  +1 -1 .",
        "     ^",
        "tree:",
        "  a -> b (over)",
        "  c",
    ]


def test_overlays_off_the_floor_are_left_out() -> None:
    scene = Scene(("  ",), (Mark(5, 5, "X", "far"),), (Path("way", ((0, 0), (0, 1), (0, 2))),))
    assert draw(scene, legend=False).splitlines() == ["     >>", "     way"]


def test_colour_changes_no_letter(film: Film) -> None:
    coloured = draw(film[0], coloured=True)
    bare = "".join(piece.partition("m")[2] if i else piece for i, piece in enumerate(coloured.split("\x1b[")))
    assert "\x1b[" in coloured
    assert bare == draw(film[0])


def test_a_pipe_wants_no_colour() -> None:
    assert not shows_colour(io.StringIO())


def test_a_drawing_fits_the_width_that_it_is_given() -> None:
    floor = ("#" * 10,) * 2
    marks = tuple(Mark(0, column, "ABCDEF"[column], f"thing number {column}") for column in range(6))
    ways = tuple(Path(f"care {care}", ((1, 1), (1, 2))) for care in range(5))
    panels = tuple(Scene(floor, marks, ways, caption=f"panel {i}: agent -{i}, newcomer -1000") for i in range(4))
    scene = Scene(caption="many panels", panels=panels, readings=(("reading", "word " * 40),))
    for width in (11, 20, 36, 37, 80, 100, 151):
        lines = draw(scene, width=width).splitlines()
        assert max(map(len, lines)) <= width
        assert sum(line.count(">") for line in lines) == sum(line.count("*") for line in lines) == 4 * 5
    assert max(map(len, draw(scene).splitlines())) > 151


def test_grids_of_panels_in_a_row_begin_at_one_height() -> None:
    short, long = (Scene(("###",), caption=caption) for caption in ("a", "a caption that is longer than half a line"))
    drawn = draw(Scene(panels=(short, long)), width=75).splitlines()
    assert drawn == ["a" + " " * 5 + "a caption that is longer than half a", "        line", "###   ###"]


def test_words_are_wrapped_the_same_in_colour(film: Film) -> None:
    coloured = draw(film[3], coloured=True, width=12)
    bare = "".join(piece.partition("m")[2] if i else piece for i, piece in enumerate(coloured.split("\x1b[")))
    assert bare == draw(film[3], width=12)


def test_a_bar_longer_than_its_room_is_drawn_broken() -> None:
    bars = Bars("return", (Bar("own", -8.0), Bar("other", -1000.0)), limit=10.0)
    own, other = draw(Scene(charts=(bars,))).splitlines()[-2:]
    assert "//" in other
    assert "//" not in own
