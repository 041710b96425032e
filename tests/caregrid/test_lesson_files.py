"""A lesson that is a TOML file: shown, written for a class beside others, or refused in one line."""

import json
import re
from pathlib import Path

import pytest

import caregrid
from caregrid.lessons import find_lesson
from caregrid.lessons.lesson import check_lesson
from caregrid.main import main
from engine.errors import BadValue, CaregridError

MAP = "#######\n#  G  #\n#g### #\n#     #\n#S    #\n#######\n"
LESSON = """
title = "Through the garden?"
question = "How far does it go?"
scenario = "garden"
map = "street.txt"
care = [0, 1.5]
expected = "It walks around."
answer = "It costs two steps."
exercises = ["Draw another map."]
[options]
weight_3 = 2
[[choices]]
text = "Never."
feedback = "Look again."
[[choices]]
text = "With care."
feedback = "It is worth it."
right = true
[[plan]]
minutes = 45
activity = "Look."
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below the working directory, with a lesson and its map."""
    monkeypatch.chdir(tmp_path)
    below = tmp_path / "class"
    below.mkdir()
    (below / "street.txt").write_text(MAP)
    (below / "walk.toml").write_text(LESSON)
    return below


def test_it_is_a_lesson_on_its_own_map(folder: Path) -> None:
    lesson = find_lesson("class/walk.toml")
    check_lesson(lesson)
    wanted = [caregrid.problem("garden", map=MAP, set={"weight_3": 2}).solve(care).own for care in (0, 1.5)]
    assert [re.findall(r"own return (-\d+)", variant.summary) for variant in lesson.variants()] == [
        [f"{own:g}"] for own in wanted
    ]
    assert lesson.command == "caregrid compare garden --care 0,1.5 --map street.txt --set weight_3=2 --out 13-walk.png"
    [live] = lesson.live()
    assert live.problem.scenario.grid.rows == tuple(MAP.splitlines())


def test_its_command_makes_its_picture(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caregrid.lesson("class/walk.toml").save("shown.png")
    shown = Path("shown.png").read_bytes()
    command = find_lesson("class/walk.toml").command
    monkeypatch.chdir(folder)
    assert main(command.split()[1:]) == 0
    assert Path("13-walk.png").read_bytes() == shown


def test_a_class_gets_a_page_and_worksheets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "all", "--lessons", "class/walk.toml,1", "--out", "site"]) == 0
    page = Path("site/index.html").read_text()
    data = re.search(r'id="lessons">(.*?)</script>', page, flags=re.S)
    assert data is not None
    assert [lesson["name"] for lesson in json.loads(data[1])] == ["walk", "care"]
    assert main(["demo", "docs", "--lessons", "class/walk.toml", "--out", "handouts"]) == 0
    assert "13-walk-worksheet.md\n13-walk.ipynb\n13-walk.md\n13-walk.png\nREADME.md" in capsys.readouterr().out
    assert "`caregrid demo class/walk.toml`" in Path("handouts/13-walk.md").read_text()
    assert 'caregrid.lesson(\\"class/walk.toml\\")' in Path("handouts/13-walk.ipynb").read_text()


@pytest.mark.slow
def test_where_chance_takes_part_films_are_shown(folder: Path) -> None:
    text = re.sub(r"map = .*\n", "", LESSON).replace('"garden"', '"icy_yard"').replace("weight_3 = 2", "slip = 0.3")
    Path("ice.toml").write_text(text)
    assert find_lesson("ice.toml").live() == ()
    caregrid.course(["ice.toml"]).write_page("site")


MISTAKES = {
    "not TOML": ('title = "Th', "title = Th", "not TOML: "),
    "an unknown key": ("answer =", "anser =", "unknown key 'anser'; did you mean 'answer'"),
    "a missing key": ('expected = "It walks around."\n', "", "no 'expected'; add expected = ..."),
    "no question": ("far does it go?", "far.", "the question has no question mark"),
    "a number as a text": ('"It costs two steps."', "2", "answer is 2; expected a text"),
    "an unknown scenario": ('"garden"', '"gardn"', "unknown scenario 'gardn'; did you mean 'garden'?"),
    "a scenario that is no word": ('"garden"', "3", "scenario is 3; give a text"),
    "no map there": ("street.txt", "road.txt", "road.txt: map file not found"),
    "an unknown option": ("weight_3", "weight3", "unknown option 'weight3'; did you mean 'weight_3'?"),
    "a formulation that does not fit": ("map =", 'formulation = "options"\nmap =', "options"),
    "a formulation that is no word": ("map =", "formulation = 3\nmap =", "formulation is 3; give a text"),
    "one coefficient": ("[0, 1.5]", "[0]", "care is [0]; give 2 to 12 that differ"),
    "equal coefficients": ("[0, 1.5]", "[1, 1.0]", "care is [1, 1.0]; give 2 to 12 that differ"),
    "too many coefficients": ("[0, 1.5]", '"0:7:0.1"', "care is '0:7:0.1'; give 2 to 12 that differ"),
    "a word as a coefficient": ("[0, 1.5]", '[0, "much"]', "names 'much' and not a number"),
    "a coefficient that is nan": ("[0, 1.5]", "[0, nan]", "key 'care'"),
    "coefficients in a table": ("[0, 1.5]", "{a = 1}", "key 'care'"),
    "exercises that are no list": ('["Draw another map."]', '"Draw."', "exercises is 'Draw.'; give a list"),
    "exercises of numbers": ('["Draw another map."]', "[1]", "expected a tuple of str"),
    "an unknown key of a choice": (
        "right = true",
        "rigt = true",
        "[[choices]]: unknown key 'rigt'; did you mean 'right'?",
    ),
    "a choice without a text": ('text = "Never."\n', "", "[[choices]] without 'text'; add text = ..."),
    "no right choice": ("right = true", "", "2 choices; give several, of which one is right"),
    "a plan too short": ("minutes = 45", "minutes = 40", "a plan of 40 minutes; plan 45 minutes"),
    "a plan of words": ("minutes = 45", 'minutes = "45"', "plan: minutes is '45'; expected a whole number"),
    "a choice of numbers": ('text = "Never."', "text = 3", "choices: text is 3; expected a text"),
    "a choice that is right in words": ("right = true", 'right = "yes"', "right is 'yes'; expected true or false"),
    "a name with a slash": ("map =", 'name = "../walk"\nmap =', "name is '../walk'; add name = ..."),
    "the page's own name": ("map =", 'name = "lessons"\nmap =', "name is 'lessons'; add name = ..."),
    "a number of words": ("map =", 'number = "1"\nmap =', "number is '1'; expected a number from 1 on"),
    "options in a list": ("[options]\nweight_3 = 2", "options = [1]", "options is [1]; give a table"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(mistake: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, message = MISTAKES[mistake]
    assert old in LESSON
    (folder / "walk.toml").write_text(LESSON.replace(old, new, 1))
    assert main(["demo", "docs", "--lessons", "class/walk.toml", "--out", "handouts"]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.startswith("caregrid: class")
    assert printed.count("\n") == 1
    assert not Path("handouts").exists()


def test_lessons_are_chosen_where_several_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "1", "--lessons", "2", "--out", "x.png"]) == 2
    assert "--lessons: a choice of lessons; write demo all or demo docs before it" in capsys.readouterr().err
    with pytest.raises(BadValue, match="lessons: two lessons are called 'care'; give each once"):
        caregrid.course([1, "care"])
    (folder / "care.toml").write_text(LESSON)
    with pytest.raises(BadValue, match="two lessons are called 'care'"):
        caregrid.course([1, "class/care.toml"])
    (folder / "my-walk.toml").write_text(LESSON)
    assert find_lesson("class/my-walk.toml").name == "my_walk"
    with pytest.raises(CaregridError, match=r"nothing\.toml: lesson file not found"):
        caregrid.course(["nothing.toml"])


@pytest.mark.slow
def test_a_registered_environment_is_a_lessons_world(folder: Path) -> None:
    """Written for a class, and on the page as films: without cells there is no live world."""
    ice = LESSON.replace('"garden"', '"gym:CliffWalking-v1"').replace('map = "street.txt"\n', "")
    (folder / "cliff.toml").write_text(ice.replace("[options]\nweight_3 = 2\n", ""))
    lesson = find_lesson("class/cliff.toml")
    check_lesson(lesson)
    assert lesson.command == "caregrid compare gym:CliffWalking-v1 --care 0,1.5 --out 13-cliff.png"
    assert "own return -13" in lesson.variants()[0].summary
    assert main(["demo", "all", "--lessons", "class/cliff.toml", "--out", "site"]) == 0
    assert "Through the garden?" in (folder.parent / "site" / "index.html").read_text(encoding="utf-8")


def test_an_environment_whose_id_names_code_needs_trust(folder: Path) -> None:
    ice = LESSON.replace('"garden"', '"gym:evil_module:World-v0"').replace('map = "street.txt"\n', "")
    (folder / "evil.toml").write_text(ice)
    with pytest.raises(CaregridError, match="evil_module"):
        find_lesson("class/evil.toml")


def test_a_models_file_beside_the_lesson_is_its_world(folder: Path) -> None:
    """Its films, page and documents; what the lesson says of the file is one line where it is wrong."""
    ice = Path(__file__).parents[1] / "data" / "tables" / "ice.prism"
    (folder / "ice.prism").write_bytes(ice.read_bytes())
    text = LESSON.replace('"garden"', '"ice.prism"').replace('map = "street.txt"\n', "").replace("[0, 1.5]", "[0, 5]")
    text = text.replace("weight_3 = 2", "most_states = 100")
    (folder / "ice.toml").write_text(text)
    lesson = find_lesson("class/ice.toml")
    check_lesson(lesson)
    assert lesson.command == "caregrid compare ice.prism --care 0,5 --set most_states=100 --out 13-ice.png"
    assert "own return -12" in lesson.variants()[1].summary  # along the shore: six steps, each of cost 2
    assert main(["demo", "all", "--lessons", "class/ice.toml", "--out", "site"]) == 0
    for old, new, message in (
        ("ice.prism", "nowhere.prism", "nowhere.prism: file not found"),
        ("most_states =", "file =", "unknown option 'file'"),
        ("most_states =", "path =", "unknown option 'path'"),
        ("ice.prism", "ice.pomdp", "a POMDP"),
    ):
        (folder / "other.toml").write_text(text.replace(old, new))
        with pytest.raises(CaregridError, match=message) as refused:
            find_lesson("class/other.toml")
        assert "\n" not in str(refused.value)


def test_a_wrapped_world_of_ones_own_is_a_trusted_lessons_world(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "import caregrid\n\nlake = caregrid.wrap('FrozenLake-v1')\n"
    (folder.parent / "lakes_of_a_lesson.py").write_text(lines, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder.parent))
    text = LESSON.replace('"garden"', '"lakes_of_a_lesson:lake"').replace('map = "street.txt"\n', "")
    (folder / "lake.toml").write_text(text.replace("[options]\nweight_3 = 2\n", ""))
    with pytest.raises(CaregridError, match="names code"):
        find_lesson("class/lake.toml")
    lesson = find_lesson("class/lake.toml", trust=True)
    check_lesson(lesson)
    assert "own return 0.8235," in lesson.variants()[0].summary  # 14/17, as in docs/wrap.md
