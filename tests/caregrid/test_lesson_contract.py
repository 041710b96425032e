"""The contract of lessons: the registered ones pass the checker, and a user's own is taken, or refused in one line."""

import json
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.lesson import check_lesson
from caregrid.main import main
from tests.users_files import read_right_file

RIGHT = read_right_file("lessons", "waiting")


@pytest.fixture
def own_file(users_folder: Path) -> Path:
    """A file of the user's own, importable as `own_lessons`."""
    return users_folder / "own_lessons.py"


def test_a_lesson_of_ones_own(own_file: Path) -> None:
    own_file.write_text(RIGHT)
    check_lesson(LESSONS["own_lessons:waiting"])
    assert main(["demo", "own_lessons:waiting", "--headless", "--out", "film.json"]) == 0
    scenes = json.loads(Path("film.json").read_text())["scenes"]
    assert [scene["caption"] for scene in scenes] == ["start", "end"]


@pytest.mark.parametrize(
    ("old", "out"), [('return Variant("a"', "film.txt"), ('return Scene(FLOOR, caption="the room")', "picture.png")]
)
def test_a_lesson_that_fails_on_the_screen_is_one_line(
    old: str, out: str, own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_file.write_text(RIGHT.replace(old, f"1 / 0\n    {old}"))
    assert main(["demo", "own_lessons:waiting", "--headless", "--out", out]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "own_lessons.py" in message
    assert "ZeroDivisionError" in message
    assert not Path(out).exists()


def test_old_names_are_understood(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["demo", "pen", "--headless", "--out", str(tmp_path / "x.txt")]) == 0
    assert "'input_terminal'" in capsys.readouterr().err


def test_a_mistake_in_a_field_names_the_users_file(own_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_file.write_text(RIGHT.replace('source="Nobody', 'choices=(Prediction([0], "b", True),) * 2, source="Nobody'))
    assert main(["demo", "own_lessons:waiting", "--headless", "--out", "film.json"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("caregrid: own_lessons.py, 'waiting': choices: text is [0]"), error
