"""Typed arguments: a declaration becomes a parser, a command line becomes the declaration's object."""

import argparse
import dataclasses
from dataclasses import dataclass

import pytest

from caregrid.arguments.declaration import add_arguments, option, positional, read_arguments, required_option
from caregrid.commands import COMMANDS
from caregrid.main import build_parser, declaration_of, main


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A group."""

    quiet: bool = option(False, "no progress")


@dataclass(frozen=True, kw_only=True)
class Example(Shared):
    """Every sort of argument."""

    name: str = positional("a name", metavar="NAME")
    place: str = positional("a place", metavar="PLACE", default="here")
    count: int | None = option(None, "how many", metavar="N", aliases=("--number",))
    care: float = option(1.5, "a coefficient")
    set: tuple[str, ...] = option((), "repeatable", metavar="A=B")
    method: str = option("exact", "how", choices=("exact", "q_learning"))
    directory: str | None = option(None, "where from", name="--from")
    out: str = required_option("where to", metavar="FILE")


def parsed(*words: str) -> Example:
    parser = argparse.ArgumentParser()
    add_arguments(parser, Example)
    return read_arguments(Example, parser.parse_args(words))


def test_a_prefix_of_an_option_is_not_taken_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    """`battery --seed 3` was `--seeds 3`: three seeds."""
    assert main(["battery", "--seed", "3"]) == 2
    error = capsys.readouterr().err
    assert "caregrid battery: unrecognized arguments: --seed 3; did you mean '--seeds'" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("solve garden workshop", "solve: unrecognized arguments: workshop; besides options it takes SCENARIO"),
        ("doctor x", "doctor: unrecognized arguments: x; besides options it takes nothing"),
        ("solve garden -- --json", "solve: unrecognized arguments: --json; write options before '--'"),
        ("solve garden --certfy", "solve: unrecognized arguments: --certfy; did you mean '--certify'?"),
        ("solve garden --form=x", "solve: unrecognized arguments: --form=x; did you mean '--formulation'?"),
        ("solve garden --care", "solve: argument --care: it needs a value"),
        ("solve garden --json=yes", "solve: argument --json: it takes no value; leave out 'yes'"),
        ("solve garden --own=much", "solve: argument --own: 'much' is not a number"),
        ("rollout garden --seed=much", "rollout: argument --seed: 'much' is not a whole number from 0 to 2^63 - 1"),
        ("draw x --format=pn", "draw: argument --format: unknown choice 'pn'; did you mean 'png'?"),
    ],
)
def test_a_parser_says_what_to_write(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = line.split()[0]
    assert main(line.split()) == 2
    assert capsys.readouterr().err == f"caregrid {said} (see 'caregrid {command} --help')\n"


def test_a_last_separator_is_no_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "suites", "--"]) == 0
    assert "copies" in capsys.readouterr().out


def test_what_is_not_given_keeps_its_default() -> None:
    assert parsed("x", "--out", "f") == Example(name="x", out="f")


def test_every_sort_is_read_as_its_annotation_says() -> None:
    words = "x there --number 3 --care -2 --set a=1 --set b=2 --method q-learning --from d --out f --quiet"
    assert parsed(*words.split()) == Example(
        name="x",
        place="there",
        count=3,
        care=-2.0,
        set=("a=1", "b=2"),
        method="q_learning",
        directory="d",
        out="f",
        quiet=True,
    )


def test_old_spellings_are_read_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser, Example)
    assert "--count" in parser.format_help()
    assert "--number" not in parser.format_help()
    assert "--jobs" not in build_parser("sweep").format_help()


@pytest.mark.parametrize("words", [["--out", "f"], ["x"], ["x", "--out", "f", "--method", "nearly"]])
def test_what_is_missing_or_wrong_is_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(*words)


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_command_declares_frozen_arguments_and_explains_each(name: str) -> None:
    declaration = declaration_of(COMMANDS[name])
    assert dataclasses.is_dataclass(declaration)
    assert declaration.__dataclass_params__.frozen  # type: ignore[attr-defined]
    for field in dataclasses.fields(declaration):
        assert field.metadata["argument"].help, f"{name}: {field.name} has no help"


def test_options_may_be_spelled_with_underscores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breakpoints", "workshop_auto", "--care_min", "1", "--care-max=2"]) == 0
    assert capsys.readouterr().out.count("\n") >= 2
