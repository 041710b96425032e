"""Every whole number that a command reads is bounded: what is no number, or too large, is one line and exit code 2."""

import re
from pathlib import Path

import pytest

from caregrid.arguments.declaration import _fields
from caregrid.main import COMMANDS, declaration_of, main

NO_NUMBERS = ("x", "1e400", "nan", "", "1.5", "9" * 5000)


def arguments() -> list[tuple[str, str, list[str]]]:
    """Command, option of a whole number, and the words that the command needs beside it."""
    found = []
    for command, module in COMMANDS.loadable().items():
        fields = list(_fields(declaration_of(module)))
        needed = [
            "anything" if words.positional else f"--{field.name}=anything"
            for field, words, _ in fields
            if words.required
        ]
        found += [
            (command, words.name or f"--{field.name.replace('_', '-')}", needed)
            for field, words, kind in fields
            if kind is int
        ]
    return found


ARGUMENTS = arguments()


def test_there_are_such_arguments() -> None:
    assert {"battery --turns", "sweep --steps", "record --frames", "run --seed", "battery --workers"} <= {
        f"{command} {option}" for command, option, _ in ARGUMENTS
    }


@pytest.mark.parametrize(("command", "option", "needed"), ARGUMENTS, ids=lambda value: str(value)[:20])
def test_what_is_no_number_of_64_bits_is_refused(
    command: str,
    option: str,
    needed: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in (*NO_NUMBERS, str(10**30), str(-(10**30))):
        assert main([command, *needed, f"{option}={word}"]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert re.search(f"{option}.*(whole number|is not from)", error), error
        assert len(error) < 300
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ["battery", "--agents=simple", "--environments=repeater", "--turns=100000000"],
        ["sweep", "--method=q_learning", "--care=1", "--steps=100000000"],
        ["sweep", "--method=q_learning", "--care=1", "--others-steps=1000000000"],
        ["precompute", "workshop", "--method=q_learning", "--steps=100000000", "--out=values.npz"],
    ],
    ids=" ".join,
)
def test_a_hundred_million_steps_are_refused_with_what_they_cost(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    error = capsys.readouterr().err
    assert re.search(r"1[,0]+ \w+.* take \d+ (second|minute|hour)s? or more; .*--yes", error)
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ["battery", "--seeds=9223372036854775808"],
        ["battery", "--seeds=0:9223372036854775808"],
        ["battery", f"--seeds={10**30},1"],
        ["battery", f"--seeds={10**30}:{10**30 + 1}"],
        ["battery", f"--seeds={'9' * 5000}"],
        ["battery", "--seeds=1:1"],
        ["sweep", "--care=1e400"],
        ["sweep", "--care=0:1e400:1e399"],
        ["sweep", "--care=nan"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_ranges_are_bounded(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert len(error) < 300
    assert not list(tmp_path.iterdir())
