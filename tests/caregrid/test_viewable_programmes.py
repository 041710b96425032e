"""The contract of viewable programmes: the registered ones pass the checker, a user's own is taken, or refused."""

from pathlib import Path

import pytest

from caregrid.main import main
from caregrid.programmes.viewable import VIEWABLE_PROGRAMMES, check_programme, make_film
from engine.errors import BadValue, ContractBroken

RIGHT = """
from caregrid.programmes.viewable import ViewableProgramme
from engine.scene import Scene

COUNT = iter(range(99))


def film(world, settings):
    return tuple(Scene(("   ",), caption=f"{world} {i}") for i in range(settings.get("steps", 2)))


rooms = ViewableProgramme(film, example="hall", settings=("steps",))
"""


@pytest.fixture
def own_file(users_folder: Path) -> Path:
    """A file of the user's own, importable as `own_programme`."""
    return users_folder / "own_programme.py"


@pytest.mark.parametrize("name", VIEWABLE_PROGRAMMES.names())
def test_every_programme_keeps_the_contract(name: str) -> None:
    check_programme(VIEWABLE_PROGRAMMES[name])


def test_a_programme_of_ones_own(own_file: Path) -> None:
    own_file.write_text(RIGHT)
    check_programme(VIEWABLE_PROGRAMMES["own_programme:rooms"])
    assert main(["record", "own_programme:rooms/hall", "--set", "steps=3", "--out", "rooms.txt"]) == 0
    assert Path("rooms.txt").read_text().count("hall") == 3
    with pytest.raises(BadValue, match="did you mean 'steps'"):
        make_film("own_programme:rooms/hall", {"step": 3})


MISTAKES = {
    "a missing field": ('example="hall", ', "", "example"),
    "another kind of thing": (
        'ViewableProgramme(film, example="hall", settings=("steps",))',
        "film",
        "is not a viewable",
    ),
    "settings that are not a tuple": ('("steps",)', '"steps"', "expected a tuple of names, or None"),
    "too few parameters": ("def film(world, settings)", "def film(world)", "it is called as film(world, settings)"),
    "a list of scenes": ("return tuple(", "return list(", "expected a tuple of Scenes"),
    "no scenes": ('"steps", 2', '"steps", 0', "expected a tuple of Scenes"),
    "an exception": ("settings.get", "settings.pick", "own_programme.py, line 9: AttributeError"),
    "another film each time": ('f"{world} {i}"', 'f"{next(COUNT)}"', "the same film for the same world"),
}


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_named_in_one_line(old: str, new: str, expected: str, own_file: Path) -> None:
    assert old in RIGHT
    own_file.write_text(RIGHT.replace(old, new))
    with pytest.raises(ContractBroken) as refused:
        check_programme(VIEWABLE_PROGRAMMES["own_programme:rooms"])
    assert "\n" not in str(refused.value)
    assert "own_programme.py" in str(refused.value)
    assert expected in str(refused.value)
