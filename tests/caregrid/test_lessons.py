"""The lessons: complete, true to the program, in step with their documents, and alive in the viewer."""

import re
import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from caregrid import problem, record_behaviour
from caregrid.lessons import LESSONS, find_lesson, list_lessons
from caregrid.lessons.catalogue._craftworld import pose_problem
from caregrid.lessons.course import ViewableLesson
from caregrid.lessons.documents import write_contents, write_documents, write_markdown, write_notebook, write_worksheet
from caregrid.lessons.lesson import Lesson
from caregrid.lessons.lesson_file import FIRST_NUMBER
from caregrid.main import main
from craftworld.solution.exact_solution import find_break_points
from engine.errors import UnknownName
from renderers.viewer.player import Player
from tests.documentation.pages import ROOT, SOURCE_DISTRIBUTION, is_there
from tests.printed_json import printed_content

DOCUMENTS = ROOT / "docs" / "lessons"
NAMES = LESSONS.names()


def test_they_are_in_order() -> None:
    assert [lesson.number for lesson in list_lessons()] == [*range(1, FIRST_NUMBER)]
    assert find_lesson("3") is find_lesson("options")
    with pytest.raises(UnknownName, match="did you mean 'care'"):
        find_lesson("car")


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("name", NAMES)
def test_its_command_makes_its_picture(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lesson = LESSONS[name]
    assert main(shlex.split(lesson.command)[1:]) == 0
    (made,) = tmp_path.iterdir()
    assert made.name == f"{lesson.stem}.png"
    assert main(["demo", name, "--headless", "--out", "again.png"]) == 0
    if "demo" in lesson.command:
        assert made.read_bytes() == (tmp_path / "again.png").read_bytes()


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("name", NAMES)
def test_documents_say_what_the_lesson_says(name: str) -> None:
    lesson = LESSONS[name]
    stem = lesson.stem
    advice = "write them again: caregrid demo docs --out docs/lessons"
    assert (DOCUMENTS / f"{stem}.md").read_text(encoding="utf-8") == write_markdown(lesson), advice
    notebook = DOCUMENTS / f"{stem}.ipynb"
    assert SOURCE_DISTRIBUTION or notebook.read_text(encoding="utf-8") == write_notebook(lesson, stem), advice
    assert (DOCUMENTS / f"{stem}-worksheet.md").read_text(encoding="utf-8") == write_worksheet(lesson), advice
    assert lesson.answer not in write_worksheet(lesson)
    assert (DOCUMENTS / "README.md").read_text(encoding="utf-8") == write_contents(list_lessons()), advice


@pytest.mark.skipif(SOURCE_DISTRIBUTION, reason="the source distribution leaves pictures out")
@pytest.mark.parametrize("name", NAMES)
def test_its_pictures_are_kept(name: str) -> None:
    stem = LESSONS[name].stem
    assert all((DOCUMENTS / f"{stem}{part}.png").stat().st_size > 5000 for part in ("", "-start"))


def test_the_first_lesson_shows_every_segment() -> None:
    problem = pose_problem("workshop")
    cares = [float(variant.label) for variant in LESSONS["care"].variants()]
    edges = [-1.0, *find_break_points(problem), float("inf")]
    inside = [sum(low <= care < high for care in cares) for low, high in pairwise(edges)]
    assert all(count == 1 for count in inside)


def test_the_fourth_lesson_tells_the_truth_about_the_reality_check() -> None:
    said = [variant.summary for variant in LESSONS["self_reflection"].variants()]
    means = [float(re.findall(r"[+-]\d\.\d+", summary)[0]) for summary in said]
    assert means[0] == means[1] < 0
    assert means[3] > means[2] + 0.5


def test_the_fifth_and_sixth_lessons_tell_agents_apart() -> None:
    cpy, sta, dyn = LESSONS["teleport"].variants()
    assert cpy.summary.endswith("move")
    assert sta.summary == dyn.summary
    assert sta.summary.endswith("stay")
    itf, itc, citc = LESSONS["input_terminal"].variants()
    assert itc.summary == citc.summary != itf.summary


def test_the_seventh_lesson_shows_that_more_of_the_same_care_changes_nothing() -> None:
    summaries = {variant.label: variant.summary for variant in LESSONS["own_kind"].variants()}
    allergic = [summary.rpartition("allergic cook's return ")[2].partition(",")[0] for summary in summaries.values()]
    assert allergic == ["-1000", "-1000", "-1000", "-8"]
    own = [summary.rpartition("cook without allergy's return ")[2].partition(",")[0] for summary in summaries.values()]
    assert own == ["-1000", "-8", "-8", "-8"]


def test_a_lesson_in_the_viewer(tmp_path: Path) -> None:
    lesson = LESSONS["teleport"]
    player = Player(ViewableLesson(lesson))
    labels = [variant.label for variant in lesson.variants()]
    for keys, label in (("", labels[0]), ("down", labels[0]), ("up", labels[1]), ("up up", labels[2])):
        for key in keys.split():
            player.press("right")
            player.press(key)
        assert dict(player.scene().readings)["future"] == label
    assert dict(player.scene().readings)["question"] == lesson.question
    player.press("end")
    shown = replace(player.scene(), readings=())
    assert shown == replace(lesson.variants()[2].film[-1], readings=())


def test_listing_and_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    assert [one["number"] for one in printed_content(capsys.readouterr().out)["lessons"]] == [*range(1, len(NAMES) + 1)]
    assert main(["demo", "all"]) == 2
    assert "--out DIR" in capsys.readouterr().err
    assert main(["demo", "seven"]) == 2
    assert "unknown lesson" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["demo", "all", "--out", str(tmp_path / "file")]) == 2


@pytest.mark.parametrize("lesson", list_lessons(), ids=lambda lesson: lesson.name)
def test_lessons_are_heard_in_plain_words(lesson: Lesson) -> None:
    """No figure in a lesson's prose that the program should print instead."""
    prose = " ".join([lesson.expected, lesson.answer])
    assert not re.search(r"\d", re.sub(r"Room \d", "", prose))


def test_the_eighth_lesson_tells_agents_apart() -> None:
    totals = [int(variant.summary.rpartition(" ")[2]) for variant in LESSONS["as_if"].variants()]
    ignoring, heeding, alternating, remembering, one_box, two_boxes = totals
    assert (heeding, ignoring) == (2 - ignoring, 12)
    assert alternating < remembering
    assert one_box == 1000 * two_boxes


NAMED = sorted(
    {
        command
        for lesson in list_lessons()
        for text in (*lesson.exercises, lesson.source)
        for command in re.findall(r"`(caregrid [^`]+)`", text)
        if not re.search(r"map\.txt|my_|caregrid (play|view|battery)", command)
    }
)


@pytest.mark.slow_cases("caregrid regions")
@pytest.mark.parametrize("command", NAMED)
def test_commands_named_in_exercises_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "player.jsonl" in command:  # the games that a reader has saved
        record_behaviour(problem("playroom").solve(care=3), "playroom", episodes=2).save("player.jsonl")
    assert main(shlex.split(command)[1:]) == 0


def test_cells_that_write_files_are_run_before_the_documents_are_written(tmp_path: Path) -> None:
    cell = "import caregrid\ncaregrid.problem('workshop_auto').sweep('0,1').rows()[0]['own']"
    names = write_documents(tmp_path, [replace(LESSONS["care"], cells=(cell,))])
    assert all((tmp_path / name).stat().st_size > 100 for name in names)


@pytest.mark.parametrize("page", sorted(DOCUMENTS.glob("*.md")), ids=lambda page: page.name)
def test_pages_lead_only_to_what_is_written_with_them(page: Path) -> None:
    """So that they are complete in a teacher's own folder."""
    links = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert not [link for link in links if "://" not in link and ("/" in link or not is_there(DOCUMENTS / link))]
