"""What commands print fits the terminal: no line is wider, but for words and commands to copy."""

import shlex
from pathlib import Path

import pytest

from caregrid.main import main
from caregrid.operations import COMMANDS
from engine.printable import COPIED, fit_text
from tests.caregrid.json_lines import JSON_LINES

SLOW = {
    "bench",
    "demo_files",
    "demo_lesson",
    "run",
    "run_plan",
    "run_unfinished",
    "train",
    "unpack",
}  # of work, scripts and films
TEXTS = [lines[0] for schema, lines in JSON_LINES.items() if schema not in SLOW]


@pytest.mark.slow_cases(beyond=12)
@pytest.mark.parametrize(
    "line", [*TEXTS, "breakpoints garden --certify", "compare workshop --care 0,1,6", "compare workshop"]
)
def test_texts_fit(
    line: str, workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    capsys.readouterr()
    monkeypatch.setenv("COLUMNS", "60")
    assert main(shlex.split(line)) in (0, 1)
    _require_fit(capsys.readouterr().out, 60)


@pytest.mark.parametrize("name", COMMANDS.names())
def test_help_fits(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main([name.replace("_", "-"), "--help"]) == 0
        _require_fit(capsys.readouterr().out, width)


def _require_fit(text: str, width: int) -> None:
    wide = [line for line in text.splitlines() if len(line) > width and not COPIED.search(line)]
    assert not [line for line in wide if len(line.split()) > 1], wide


def test_a_long_line_goes_on_below_its_column() -> None:
    assert fit_text("  name    " + "word " * 12, 40).splitlines() == [
        "  name    word word word word word word",
        "          word word word word word word",
    ]
    assert fit_text("a  b\n\n" + "x" * 70, 40) == "a  b\n\n" + "x" * 70
    command = "to install plot: python -m pip install 'caregrid[plot]' -c constraints.txt"
    assert fit_text(command, 40) == command


def test_what_goes_into_a_pipe_is_not_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["list", "scenarios"]) == 0
    assert all(line.startswith("  ") for line in capsys.readouterr().out.splitlines()[1:] if line)


def test_examples_of_a_help_can_be_copied(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["multislot", "--help"]) == 0
    text = capsys.readouterr().out.replace(" \\\n      ", " ")
    assert "  caregrid multislot locality my_file:MyWorld --horizon 3 --out witness.png\n" in text
