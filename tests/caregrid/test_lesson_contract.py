"""The contract of lessons: the registered ones pass the checker, and a user's own is taken, or refused in one line."""

import json
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.lesson import check_lesson
from caregrid.main import main
from engine.errors import ContractBroken

RIGHT = """
from caregrid.lessons.lesson import Prediction, Phase
from caregrid.lessons.lesson import Lesson, Variant
from engine.scene import Bar, Bars, Mark, Scene

FLOOR = ("####", "#  #", "####")


def film():
    return Scene(FLOOR, caption="start"), Scene(FLOOR, caption="end")


def variants():
    return Variant("a", film(), "nothing happens"), Variant("b", film(), "nothing happens again")


def picture():
    return Scene(FLOOR, caption="the room")


waiting = Lesson(
    number=7,
    name="waiting",
    title="What happens to those who wait?",
    question="The room is empty. What happens?",
    command="caregrid demo own_lessons:waiting --headless --out 7-waiting.png",
    expected="An empty room.",
    answer="Nothing happens.",
    parameter="patience",
    make_variants=variants,
    make_picture=picture,
    source="Nobody wrote it down.",
)
"""


@pytest.fixture
def own_file(users_folder: Path) -> Path:
    """A file of the user's own, importable as `own_lessons`."""
    return users_folder / "own_lessons.py"


@pytest.mark.parametrize("name", LESSONS.names())
def test_every_lesson_keeps_the_contract(name: str) -> None:
    check_lesson(LESSONS[name])
    assert LESSONS[name].name == name


def test_a_lesson_of_ones_own(own_file: Path) -> None:
    own_file.write_text(RIGHT)
    check_lesson(LESSONS["own_lessons:waiting"])
    assert main(["demo", "own_lessons:waiting", "--headless", "--out", "film.json"]) == 0
    scenes = json.loads(Path("film.json").read_text())["scenes"]
    assert [scene["caption"] for scene in scenes] == ["start", "end"]


MISTAKES = {
    "a missing field": ('    source="Nobody wrote it down.",\n', "", "source"),
    "a field of another type": ("number=7", "number='7'", "number is '7'; expected a number from 1 on"),
    "an empty text": ('answer="Nothing happens."', 'answer=""', "answer is ''; expected a text"),
    "no question": ('question="The room is empty. What happens?"', 'question="Nothing."', "no question mark"),
    "another program's command": ('command="caregrid ', 'command="python ', "begin with 'caregrid '"),
    "no function": ("make_picture=picture", "make_picture=FLOOR", "expected a function without arguments"),
    "too many parameters": ("def variants():", "def variants(care):", "it is called as make_variants()"),
    "one variant": (', Variant("b", film(), "nothing happens again")', ",", "at least two Variants"),
    "equal labels": ('Variant("b"', 'Variant("a"', "labels that differ"),
    "a picture of another type": ('return Scene(FLOOR, caption="the room")', "return FLOOR", "expected a Scene"),
    "a film of one scene": (', Scene(FLOOR, caption="end")', ",", "a film of at least two Scenes"),
    "an exception": (
        'return Scene(FLOOR, caption="the',
        'return Scenes(FLOOR, caption="the',
        "own_lessons.py, line 18: NameError",
    ),
    "a plan that is too short": (
        'source="Nobody',
        'plan=(Phase(5, "wait"),), source="Nobody',
        "a plan of 5 minutes; plan 45 minutes",
    ),
    "no right choice": (
        'source="Nobody',
        'choices=(Prediction("a", "b"), Prediction("c", "d")), source="Nobody',
        "2 choices; give several, of which one is right",
    ),
    "a choice without feedback": (
        'source="Nobody',
        'choices=(Prediction("a", "", True), Prediction("c", "d")), source="Nobody',
        "say something to each",
    ),
    "a key that leaves out exercises": ('source="Nobody', 'key=("Two.",), source="Nobody', "a key of 1 answers to 0"),
    "exercises of another kind": ('source="Nobody', 'exercises=(1, 2), source="Nobody', "expected a tuple of str"),
    "live problems of another kind": (
        'source="Nobody',
        'make_live=variants, source="Nobody',
        "expected a tuple of LiveProblems",
    ),
    "a caption that is no text": (
        'caption="start"',
        "caption=None",
        "make_variants gave a Scene that cannot be drawn: caption is None, not a str",
    ),
    "a floor of other rows": ('"#  #"', '"# #"', "whose rows differ in length"),
    "a floor of numbers": ('("####", "#  #", "####")', "(3,)", "cannot be drawn: floor is 3, not a str"),
    "a mark beside the floor": (
        'caption="the room"',
        'marks=(Mark(9, 9, "A", "agent"),)',
        "make_picture gave a Scene that cannot be drawn: Mark(row=9, column=9,",
    ),
    "a chart of another kind": (
        'caption="the room"',
        'charts=(Bars("b", (Bar("a", "1"),)),)',
        "cannot be drawn: number is '1', not a number",
    ),
    "a text as long as a book": ('answer="Nothing happens."', "answer='x' * 10**6", "answer has 1,000,000 letters"),
    "minutes in words": (
        'source="Nobody',
        'plan=(Phase("5", "wait"),), source="Nobody',
        "plan: minutes is '5'; expected",
    ),
    "feedback of another kind": (
        'source="Nobody',
        'choices=(Prediction("a", None, True), Prediction("c", "d")), source="Nobody',
        "choices: feedback is None; expected",
    ),
    "another kind of thing": ("waiting = Lesson(", "waiting = dict(", "is not a lesson"),
}


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_named_in_one_line(old: str, new: str, expected: str, own_file: Path) -> None:
    assert old in RIGHT
    own_file.write_text(RIGHT.replace(old, new))
    with pytest.raises(ContractBroken) as refused:
        check_lesson(LESSONS["own_lessons:waiting"])
    assert "\n" not in str(refused.value)
    assert "own_lessons.py" in str(refused.value)
    assert expected in str(refused.value)


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
