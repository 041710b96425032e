"""Five objects that everything asks: `view`, `record`, `play`, `bench` and lessons; one of a user is another."""

import importlib
from pathlib import Path

import pytest

import caregrid
from caregrid.kinds import KINDS
from caregrid.main import main
from caregrid.programmes.programme import (
    PLAYABLE_PROGRAMMES,
    PROGRAMMES,
    check_playable,
    check_viewable,
    make_film,
)
from caregrid.runs.bench import read_suites
from engine.errors import BadValue, ContractBroken, UnknownName
from experiments.bench.suites import SUITES

FIVE = ("caring", "extended", "slots", "terminal", "theory")


def test_there_are_five_programmes_and_each_is_one_object() -> None:
    assert PROGRAMMES.names() == FIVE
    assert PLAYABLE_PROGRAMMES.names() == tuple(name for name in FIVE if PROGRAMMES[name].game)
    assert all(PLAYABLE_PROGRAMMES[name] is PROGRAMMES[name] for name in PLAYABLE_PROGRAMMES)


@pytest.mark.parametrize("name", FIVE)
def test_a_programme_solves_and_shows_its_example(name: str) -> None:
    programme = PROGRAMMES[name]
    assert programme.example in KINDS[programme.worlds].light_registry()
    assert programme.solve(programme.example, {}).rows()
    check_viewable(programme)


@pytest.mark.parametrize("name", PLAYABLE_PROGRAMMES.names())
def test_a_programme_plays_its_example(name: str) -> None:
    check_playable(PROGRAMMES[name])


def test_a_programme_stands_for_its_suites() -> None:
    measured = [name for name in FIVE if PROGRAMMES[name].suites]
    assert read_suites(measured) == tuple(suite for name in measured for suite in PROGRAMMES[name].suites)
    assert set(read_suites(measured)) == set(SUITES.names())
    assert read_suites("caring,copies") == ("corrigibility", "how_much_care", "side_effects", "copies")
    with pytest.raises(UnknownName, match="unknown suite 'theory'"):
        read_suites("theory")


def test_lessons_ask_the_answers_of_programmes() -> None:
    folder = Path(caregrid.__file__).parent / "lessons/catalogue"
    text = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    for name in FIVE:
        for quantity in PROGRAMMES[name].lesson_answers:
            assert f'{name}.lesson_answers["{quantity}"]' in text


def test_view_and_theory_take_as_many_turns_of_the_same_agent() -> None:
    """One default per quantity: what `caregrid theory` prints is what `caregrid view` shows."""
    printed = caregrid.theory("newcomb")
    assert make_film("theory/newcomb", {}) == printed.film().scenes
    assert len(printed.rows()) == len(make_film("theory/newcomb", {}))


def test_a_scenario_is_viewed_as_its_problem_is_filmed() -> None:
    settings = {"care": 4.0, "formulation": "worst_case", "weight_3": 0}
    expected = caregrid.problem("garden", formulation="worst_case", set={"weight_3": 0}).film(4.0)
    assert make_film("caring/garden", settings) == expected.scenes


FILM = """
from caregrid.programmes.programme import Programme
from engine.scene import Scene

COUNT = iter(range(99))


def film(world, settings):
    return tuple(Scene(("   ",), caption=f"{world} {i}") for i in range(settings.get("steps", 2)))


own = Programme(film=film, example="hall", settings=("steps",))
"""
GAME = """
from caregrid.programmes.game import Game, Move
from caregrid.programmes.programme import Programme
from engine.scene import Scene

COUNT = iter(range(999))


class Counting(Game):
    title, about, goal = "counting", "Numbers.", "Count to three."

    def __init__(self):
        self.counted = 0

    def menu(self):
        return () if self.counted == 3 else (Move("1", "count", "count on"),)

    def take(self, action):
        self.counted += 1
        return f"{self.counted}"

    def __len__(self):
        return self.counted + 1

    def scene(self, index, overlay="none"):
        return Scene(("   ",), caption=f"{index}")

    def result(self):
        return (("counted", f"{self.counted}"),)

    def suggestion(self):
        return "count" if self.menu() else None


def game(world, settings, seed):
    return Counting


own = Programme(game=game, example="three", game_settings=())
"""


@pytest.fixture
def own_file(users_folder: Path) -> Path:
    """A file of the user's own, importable as `own_programme`."""
    return users_folder / "own_programme.py"


def test_a_programme_of_ones_own_is_viewed_and_played(own_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_file.write_text(FILM)
    check_viewable(PROGRAMMES["own_programme:own"])
    assert main(["record", "own_programme:own/hall", "--set", "steps=3", "--out", "rooms.txt"]) == 0
    assert Path("rooms.txt").read_text().count("hall") == 3
    with pytest.raises(BadValue, match="did you mean 'steps'"):
        make_film("own_programme:own/hall", {"step": 3})
    own_file.with_name("own_game.py").write_text(GAME)
    importlib.invalidate_caches()
    check_playable(PLAYABLE_PROGRAMMES["own_game:own"])
    assert main(["play", "own_game:own/three", "--text", "--keys", "1,1,1"]) == 0
    assert capsys.readouterr().out.endswith("the end:\n  counted  3\n\n")


MISTAKES = {
    "a missing field": (FILM, 'example="hall", ', "", "example"),
    "another kind of thing": (
        FILM,
        'Programme(film=film, example="hall", settings=("steps",))',
        "film",
        "is not a view",
    ),
    "settings that are not a tuple": (FILM, '("steps",)', '"steps"', "expected a tuple of names, or None"),
    "too few parameters": (FILM, "def film(world, settings)", "def film(world)", "called as film(world, settings)"),
    "a list of scenes": (FILM, "return tuple(", "return list(", "expected a tuple of Scenes"),
    "no scenes": (FILM, '"steps", 2', '"steps", 0', "expected a tuple of Scenes"),
    "an exception": (FILM, "settings.get", "settings.pick", "own_programme.py, line 9: AttributeError"),
    "another film each time": (FILM, 'f"{world} {i}"', 'f"{next(COUNT)}"', "the same film for the same world"),
    "no film": (FILM, "film=film, ", "", "film"),
    "no game": (GAME, "game=game, ", "", "game"),
    "another kind than a programme": (
        GAME,
        'Programme(game=game, example="three", game_settings=())',
        "game",
        "is not a play",
    ),
    "a game of too few parameters": (
        GAME,
        "def game(world, settings, seed)",
        "def game(world)",
        "it is called as game(world, setting",
    ),
    "what is no game": (GAME, "return Counting\n", "return dict\n", "what makes a Game"),
    "settings of the game as a list": (
        GAME,
        "game_settings=()",
        "game_settings=[]",
        "expected a tuple of names, or None",
    ),
    "another game each time": (GAME, 'caption=f"{index}"', 'caption=f"{next(COUNT)}"', "another game"),
    "an exception in the game": (GAME, 'return f"{self.counted}"', "return self.names", "AttributeError"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named_in_one_line(case: str, own_file: Path) -> None:
    source, old, new, expected = MISTAKES[case]
    assert old in source
    own_file.write_text(source.replace(old, new))
    registry, check = (PROGRAMMES, check_viewable) if source is FILM else (PLAYABLE_PROGRAMMES, check_playable)
    with pytest.raises(ContractBroken) as refused:
        check(registry["own_programme:own"])
    assert "\n" not in str(refused.value)
    assert "own_programme.py" in str(refused.value)
    assert expected in str(refused.value)
