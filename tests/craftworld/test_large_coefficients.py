"""Coefficients that rewards cannot be weighted with are refused; the largest that are taken overflow nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadValue

LARGEST = 1e300


@pytest.mark.parametrize(
    "asked",
    [
        lambda x: caregrid.problem().solve(x),
        lambda x: caregrid.problem(own=x).solve(),
        lambda x: caregrid.problem(own=x).solve(x),
        lambda x: caregrid.problem().sweep([-x, 0.0, x]),
        lambda x: caregrid.problem().breakpoints(care_min=-x, care_max=x),
        lambda x: caregrid.problem("garden").compare([0.0, x]),
        lambda x: caregrid.problem("playroom").train(care=x, steps=100),
    ],
)
def test_the_largest_overflow_nothing_and_more_is_refused(asked: Callable[[float], Any]) -> None:
    asked(LARGEST)  # warnings are errors
    for beyond in (1e301, 1e308):
        with pytest.raises(BadValue) as refused:
            asked(beyond)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "words",
    [
        ["solve", "workshop", "--care=1e308"],
        ["breakpoints", "workshop", "--own=-1e308"],
        ["breakpoints", "workshop", "--care-max=1e308"],
        ["sweep", "--care=0,1e308"],
    ],
    ids=" ".join,
)
def test_commands_say_so_in_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    printed, error = capsys.readouterr()
    assert not printed
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
