"""What a lesson's page says is so, and what it offers works: new deeds, picked-up things, strokes, commands, scales."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.lesson import LiveProblem
from caregrid.lessons.live_world import write_live_world
from caregrid.main import main
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_break_points
from craftworld.solution.problem import make_problem
from tests.caregrid.lessons.test_live_page import OPEN, POINT, click, open_editor, reading
from tests.caregrid.lessons.test_sweep_page import worlds_of
from tests.printed_json import printed_content


def read_texts(browser, name: str, selector: str) -> list[str]:
    """The texts of what a selector finds in a lesson's section."""
    return browser.do(f'[...document.querySelectorAll("#{name} {selector}")].map((each) => each.textContent.trim())')


def find_point(browser, name: str, rows: tuple[str, ...], cell: tuple[int, int]) -> tuple[float, float]:
    """The middle of a cell of a lesson's board, in the window."""
    share = f"[{(cell[1] + 0.5) / len(rows[0])}, {(cell[0] + 0.5) / len(rows)}]"
    return tuple(browser.do(POINT.replace("NAME", name).replace("SHARE", share)))


def choose(browser, name: str, selector: str, value: Any) -> None:
    """Choose an option of a list."""
    browser.do(
        f'(() => {{ const s = document.querySelector("#{name} {selector}"); s.value = "{value}";'
        's.dispatchEvent(new Event("change")); })()'
    )


@pytest.mark.slow
def test_what_is_new_is_told_by_action_and_place(browser, page: Path) -> None:
    """The last break point of the office kitchen brings the bag to the yard; the bin was emptied before."""
    browser.open(page, 1280)
    browser.do(OPEN)
    for _ in range(3):
        click(browser, LESSONS["whose_wishes"], ".next-point")
    assert reading(browser, LESSONS["whose_wishes"])["care"] == 0.875
    [words] = read_texts(browser, "whose_wishes", ".changed .words")
    assert words.startswith("New: do the chore (yard). The way is ")
    listed = read_texts(browser, "whose_wishes", ".action-list li")
    assert [number for number, text in enumerate(listed) if text.endswith("(new)")] == [4]


@pytest.mark.slow
def test_places_of_one_kind_are_told_apart(browser, page: Path) -> None:
    """At the third break point of the workshop the key lies in another one of two key places, four steps away."""
    browser.open(page, 1280)
    browser.do(OPEN)
    for _ in range(3):
        click(browser, LESSONS["care"], ".next-point")
    places = [
        next(step["cell"] for step in reversed(segment["steps"]) if step["action"] == "put down the key")
        for segment in write_live_world(LESSONS["care"].live()[0].problem)["segments"][2:4]
    ]
    last, new = (f"put down the key (key place, row {row}, column {column})" for row, column in places)
    [words] = read_texts(browser, "care", ".changed .words")
    assert words == f"New: {new}. No longer: {last}. The way is 4 steps longer."
    [sentence] = read_texts(browser, "care", ".price-place > .price")
    assert f"If “{new}” costs the agent 4 (4 more steps, 1 each)" in sentence


@pytest.mark.slow
def test_the_key_place_that_is_clicked_is_the_one_that_moves(browser, page: Path) -> None:
    """Exercise 3 of the first lesson: one break point goes away, as on the desktop."""
    lesson = LESSONS["care"]
    rows = SCENARIOS["workshop"]().grid.rows
    open_editor(browser, page, lesson, 1280)
    browser.do("document.querySelector('#care .tools input[value=\"K\"]').click()")
    for cell in ((7, 7), (2, 1)):
        browser.click(*find_point(browser, "care", rows, cell))
    drawn = browser.do('document.querySelector("#care .map-text").value')
    moved = [list(row) for row in rows]
    moved[7][7], moved[2][1] = " ", "K"
    expected = "\n".join("".join(row) for row in moved)
    assert drawn.replace(".", " ") == expected.replace(".", " ")
    desktop = find_break_points(make_problem(SCENARIOS["workshop"](SCENARIOS["workshop"].parse_map(expected))))
    [says] = read_texts(browser, "care", ".editor-says")
    assert says.startswith(f"Break points: {', '.join(f'{point:.4g}' for point in desktop)} ")
    assert len(desktop) == len(lesson.live()[0].describe()["segments"]) - 2


def assert_named_once(labels: list[str]) -> None:
    """What can be drawn has names that differ, and no sign twice."""
    assert labels[:2] == ["wall", "floor"]
    assert len(set(labels)) == len(labels) > 2
    assert all(label.split()[-1:] != label.split()[-2:-1] for label in labels)


@pytest.mark.slow
def test_another_world_brings_its_own_tools_text_and_command(browser, page: Path) -> None:
    for name in ("care", "whose_wishes", "own_kind", "your_own_map"):
        open_editor(browser, page, LESSONS[name], 1280)
        for number, world in enumerate(each["world"] for each in worlds_of(page, name)):
            if number:
                choose(browser, name, "select.world", number)
            assert_named_once(read_texts(browser, name, ".tools .tool"))
            values = browser.do(f'[...document.querySelectorAll("#{name} .tools input")].map((each) => each.value)')
            assert values == ["#", " ", *(feature["glyph"] for feature in world["features"])]
            text = browser.do(f'document.querySelector("#{name} .map-text").value')
            assert text == "\n".join(world["rows"])
            assert read_texts(browser, name, ".command code") == [world["command"]]
    assert not browser.errors


@pytest.mark.parametrize("name", [name for name in LESSONS.names() if isinstance(LESSONS[name].live()[0], LiveProblem)])
def test_the_command_for_the_desktop_finds_the_break_points_of_the_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for live in LESSONS[name].live():
        assert isinstance(live, LiveProblem)
        (tmp_path / "map.txt").write_text("\n".join(live.problem.scenario.grid.rows) + "\n", encoding="utf-8")
        program, *words = shlex.split(live.command)
        assert program == "caregrid"
        assert main([*words, "--json"]) == 0
        printed = printed_content(capsys.readouterr().out)["segments"]
        shown = write_live_world(live.problem)["segments"]
        assert [each["care_from"] or 0.0 for each in printed] == [each["from"] or 0.0 for each in shown]


@pytest.mark.slow
def test_a_finger_draws_every_cell_of_a_stroke_and_the_page_stays(browser, page: Path) -> None:
    lesson = LESSONS["care"]
    rows = SCENARIOS["workshop"]().grid.rows
    open_editor(browser, page, lesson, 390)
    points = [find_point(browser, "care", rows, (3, column)) for column in range(2, 7)]
    before = browser.do("scrollY")

    def touch(kind: str, *at: tuple[float, float]) -> None:
        browser._send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in at])

    touch("touchStart", points[0])
    for point in points[1:]:
        touch("touchMove", point)
    touch("touchEnd")
    drawn = browser.do('document.querySelector("#care .map-text").value').split("\n")
    assert drawn[3][2:7] == "#####"
    assert browser.do("scrollY") == before


def test_a_longer_bar_is_a_larger_return_on_an_even_scale(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    first, second, *_ = LESSONS["care"].live()[0].describe()["segments"]
    click(browser, LESSONS["care"], ".next-point")
    widths = [float(text) for text in browser.do(
        '[...document.querySelectorAll("#care .changed .bar")].map((each) => parseFloat(each.style.width))'
    )]  # fmt: skip
    pairs = [
        (first["own"], second["own"]),
        *((first["others"][name], second["others"][name]) for name in first["others"]),
    ]
    for (before, after), drawn in zip(pairs, zip(widths[::2], widths[1::2], strict=True), strict=True):
        least, most = min(before, after, 0.0), max(before, after, 0.0)
        assert drawn == pytest.approx([45 * (value - least) / (most - least) for value in (before, after)], abs=1e-3)
        assert (after > before) == (drawn[1] > drawn[0])


@pytest.mark.slow
def test_returns_have_named_even_scales(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    assert read_texts(browser, "care", ".curves .label") == ["own return", "others' returns", "total"]
    segments = LESSONS["care"].live()[0].describe()["segments"]
    drawn = browser.do('document.querySelector("#care .curves .curve.own").getAttribute("d")')
    heights = [float(text) for text in re.findall(r"M[^,]+,([\d.]+)", drawn)]
    own = [segment["own"] for segment in segments]
    slope = (heights[-1] - heights[0]) / (own[-1] - own[0])
    assert heights == pytest.approx([heights[0] + slope * (value - own[0]) for value in own])
    assert slope < 0


@pytest.mark.slow
def test_why_is_asked_before_the_end(browser, page: Path) -> None:
    """At the last step nothing is to choose, so that every move would be as good."""
    browser.open(page, 1280)
    browser.do(OPEN)
    world = LESSONS["care"].live()[0].describe()
    start = world["segments"][0]["steps"][0]["cell"]
    browser.click(*find_point(browser, "care", world["rows"], tuple(start)))
    assert browser.do('document.querySelector("#care .timeline").value') == "0"
    best = read_texts(browser, "care", ".why .best > *")
    assert best[0] == world["segments"][0]["steps"][1]["action"]


@pytest.mark.slow
def test_the_fourth_lesson_begins_with_the_game_against_ones_copy(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    assert browser.do('document.querySelector("#self_reflection .copy-game .move") !== null')


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["options", "box_in_the_way"])
def test_a_map_that_cannot_be_edited_says_why_and_offers_nothing(browser, page: Path, name: str) -> None:
    open_editor(browser, page, LESSONS[name], 390)
    [says] = read_texts(browser, name, ".editor-says")
    assert says.startswith("This map cannot be edited here: ")
    assert not re.search(r"\b(rest|weighted|distribution|states)\b", says)
    seen = f"[...document.querySelectorAll('#{name} .editor-panel > *')].filter((each) => each.offsetParent).length"
    assert browser.do(seen) == 2  # why, and the command for the desktop


def test_exercises_ask_for_as_many_turns_as_the_lesson_shows() -> None:
    lesson = LESSONS["as_if"]
    commands = re.findall(r"`caregrid theory ([^`]*)`", " ".join([*lesson.exercises, lesson.source]))
    assert commands
    assert all(command.endswith("--turns 12") for command in commands)
