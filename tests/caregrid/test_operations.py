"""Operations: a typed function becomes a command; words are read, and arguments checked, by its annotations."""

import keyword
from typing import Annotated, Any, Literal

import pytest

from caregrid.command_line.help_text import help_text
from caregrid.command_line.operation import NO_DEFAULT, Operation, Word, accept_operation, operation
from caregrid.command_line.parser import CommandParser
from caregrid.main import main
from caregrid.operations import COMMANDS, check_operation
from engine.errors import BadValue, ContractBroken
from engine.value_types import HistoryTurns


@operation(group="Tests")
def example(
    name: str,
    place: Annotated[str, Word(by_place=True)] = "here",
    *,
    count: HistoryTurns | None = None,
    care: float = 1.5,
    set: Annotated[tuple[str, ...], Word(metavar="A=B")] = (),
    method: Literal["exact", "q_learning"] = "exact",
    directory: Annotated[str | None, Word(option="--from", metavar="DIR")] = None,
    quiet: bool = False,
    silent: Annotated[bool, Word(default=False)] = True,
    out: Annotated[str | None, Word(metavar="FILE", needed=True)] = None,
    unseen: Annotated[object, Word(hidden=True)] = None,
) -> None:
    """Try every sort of parameter.

    A text.

    Parameters
    ----------
    name : str
        A name.
    place, directory : str
        A place.
    count : int
        How many.
    care : float
        A coefficient.
    set : texts
        Repeatable.
    method : str
        How.
    quiet, silent : bool
        Flags.
    out : str
        Where to.
    """
    seen.append({name: value for name, value in locals().items() if name != "unseen"})


seen: list[dict[str, Any]] = []
EXAMPLE: Operation = accept_operation(example)


def parsed(*words: str) -> dict[str, Any] | None:
    """The values that a command line gives."""
    return CommandParser(EXAMPLE).values(words)


def test_a_last_separator_is_no_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "suites", "--"]) == 0
    assert "copies" in capsys.readouterr().out


def test_what_is_not_given_keeps_its_default() -> None:
    values = parsed("x", "--out", "f")
    assert values == {"name": "x", "out": "f", "silent": False}
    EXAMPLE.call(values)
    kept = {"place": "here", "count": None, "care": 1.5, "set": (), "method": "exact", "directory": None}
    assert seen[-1] == {**values, **kept, "quiet": False}


def test_every_sort_is_read_as_its_annotation_says() -> None:
    words = "x there --count 3 --care -2 --set a=1 --set b=2 --method q-learning --from d --out f --quiet --silent"
    assert parsed(*words.split()) == {
        "name": "x",
        "place": "there",
        "count": 3,
        "care": -2.0,
        "set": ("a=1", "b=2"),
        "method": "q_learning",
        "directory": "d",
        "out": "f",
        "quiet": True,
        "silent": True,
    }


@pytest.mark.parametrize("words", [["--out", "f"], ["x"], ["x", "--out", "f", "--method", "nearly"]])
def test_what_is_missing_or_wrong_is_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(*words)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("count", 0, "count is 0; give a whole number from 1 to 1000 or None"),
        ("care", "much", "care is 'much'; give a number"),
        ("method", "nearly", "method is 'nearly'; give one of exact, q_learning"),
        ("quiet", 1, "quiet is 1; give True or False"),
    ],
)
def test_python_callers_are_told_the_same_as_the_command_line(
    name: str, value: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadValue, match=f"^example: {said}$"):
        EXAMPLE.function("x", out="f", **{name: value})
    if name in ("count", "care"):
        with pytest.raises(SystemExit):
            parsed("x", "--out", "f", f"--{name}", str(value))
        sentence = capsys.readouterr().err.removeprefix("caregrid example: --").partition(" (see")[0]
        assert sentence == said.removesuffix(" or None")


def test_the_help_is_made_from_signature_and_docstring() -> None:
    page = help_text(EXAMPLE)
    assert page.startswith("usage: caregrid example")
    assert "Try every sort of parameter.\n\nA text.\n\narguments:" in page
    for line in ("--count N", "How many", "--from DIR", "A coefficient (default: 1.5)", "--method {exact,q_learning}"):
        assert line in page
    assert "unseen" not in page
    assert EXAMPLE.parameters[0].default is NO_DEFAULT


def test_what_is_shown_in_a_window_prints_no_json() -> None:
    assert not EXAMPLE.prints_json
    assert {name for name, one in COMMANDS.loadable().items() if not one.prints_json} == {"play", "view"}


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_operation_keeps_the_contract(name: str) -> None:
    """Every parameter is documented, and the examples of the docstring are there or needless."""
    check_operation(COMMANDS[name])


def test_an_undocumented_parameter_breaks_the_contract() -> None:
    @operation(group="Tests")
    def silent(name: str) -> None:
        """Say nothing of a parameter."""

    with pytest.raises(ContractBroken, match="parameter 'name' is not documented; describe it in the docstring"):
        check_operation(silent)
    with pytest.raises(ContractBroken, match="is not an operation; decorate a function"):
        accept_operation(len)


@pytest.mark.parametrize("name", COMMANDS.names())
def test_the_command_line_and_python_use_the_same_words(name: str) -> None:
    """But where Python reserves the word."""
    for one in COMMANDS[name].parameters:
        word = one.spelling.lstrip("-").replace("-", "_")
        assert one.by_place or word == one.name or keyword.iskeyword(word)


def test_options_may_be_spelled_with_underscores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breakpoints", "workshop_auto", "--care_min", "1", "--care-max=2"]) == 0
    assert capsys.readouterr().out.count("\n") >= 2
