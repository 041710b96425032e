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
from engine.errors import BadValue, UnknownName
from experiments.bench.suites import SUITES
from tests.users_files import read_right_file

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


FILM = read_right_file("viewable_programmes", "own")
GAME = read_right_file("playable_programmes", "own")


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
