"""Whatever a user's file does, one line names the file, the line and the mistake."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BadValue, ContractBroken
from engine.grid import Cell, GridMap
from engine.user_code import describe_exception, load_user_code, names_user_code, user_code


def test_names_of_user_code() -> None:
    assert names_user_code("my_worlds:Kitchen")
    assert names_user_code("my.worlds:Kitchen")
    for name in ("kitchen", "kitchen:", ":kitchen", "sta:1", "a b:c", "threshold:1,2", "my.worlds:Kitchen.small"):
        assert not names_user_code(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (\n", r"user_{n}.py, line 1: SyntaxError: '\(' was never closed"),
        ("\nx = 1 / 0\n", r"user_{n}.py, line 2: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", r"user_{n}.py, line 2: SystemExit: 3"),
        ("import no_such_module_here\n", r"user_{n}.py, line 1: ModuleNotFoundError: No module named 'no_such"),
        (
            "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd\n",
            r"user_{n}.py, line 3: Odd: an",
        ),
    ],
    ids=["syntax", "exception", "exit", "import", "unprintable"],
)
def test_a_file_that_breaks_while_it_is_imported(users_folder: Path, text: str, message: str) -> None:
    name = f"user_{abs(sum(map(ord, text)))}"
    (users_folder / f"{name}.py").write_text(text)
    with pytest.raises(ContractBroken, match=message.replace("user_{n}", name)):
        load_user_code(f"{name}:thing", "scenario")


def test_a_file_hidden_by_an_installed_module_is_said_to_be(users_folder: Path) -> None:
    (users_folder / "json.py").write_text("thing = 1\n")
    with pytest.raises(BadValue, match=r"'json.py' is hidden by the module 'json' at .*; rename your file"):
        load_user_code("json:thing", "scenario")


def test_a_folder_named_like_one_of_ours_hides_nothing(users_folder: Path) -> None:
    (users_folder / "renderers").mkdir()
    (users_folder / "renderers" / "__init__.py").write_text("raise RuntimeError\n")
    (users_folder / "own_for_tests.py").write_text(
        "from renderers.film import save_film\n\n\ndef thing():\n    return save_film\n"
    )
    assert callable(load_user_code("own_for_tests:thing", "scenario"))


def test_a_mistake_in_one_of_our_own_entries_is_named_too() -> None:
    """The deepest line outside the machinery: here the line of this file, not that of the engine's grid."""
    with pytest.raises(ContractBroken, match=r"^world: test_user_code\.py, line \d+: IndexError: "), user_code("world"):
        GridMap.parse("##", {}).move(Cell(0, 0), 7)


@pytest.mark.parametrize(
    ("place", "remedy"), [("mine.py, line 3, step", "'caregrid validate' names the method"), ("world", "mend it there")]
)
def test_what_fails_outside_a_user_s_file_sends_to_the_checker(place: str, remedy: str) -> None:
    with pytest.raises(ContractBroken, match=f"; {remedy}$"), user_code(place):
        GridMap.parse("##", {}).move(Cell(0, 0), 7)


def test_interrupts_and_our_own_errors_pass() -> None:
    for error in (KeyboardInterrupt(), MemoryError(), BadValue("wrong")):
        with pytest.raises(type(error)), user_code("place"):
            raise error


def test_a_name_that_is_not_there_is_answered_with_the_module_s_own(written: Callable[..., str]) -> None:
    module = written("from typing import NamedTuple\n\nONE = 1\n\n\nclass Room(NamedTuple):\n    door: int\n")
    with pytest.raises(BadValue, match=f"^{module}.py: no 'Kitchen' in it; choose from ONE, Room$"):
        load_user_code(f"{module}:Kitchen", "scenario")
    with pytest.raises(BadValue, match=f"no module '{module}.py' here; write '{module}', without .py$"):
        load_user_code(f"{module}.py:Room", "scenario")


def test_of_names_that_a_library_lists_the_nearest_are_shown() -> None:
    names = "amazons\nbattleship\nbreakthrough\ncatch\nchess\ngo_fish\nhex\nkuhn_poker\nleduc_poker\nmancala\nnim"
    said = describe_exception(ValueError(f"Unknown game 'kuhn_pokr'. Available games are:\n{names}"))
    assert said.endswith("ValueError: Unknown game 'kuhn_pokr'; did you mean 'kuhn_poker' or 'leduc_poker'?")
    short = ValueError("Unknown game 'x'. Available games are: a b c")
    assert describe_exception(short).endswith("Available games are: a b c")
