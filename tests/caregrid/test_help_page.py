"""`caregrid --help`: every command in a group, within the terminal's width."""

import pytest

from caregrid.command_line.operation import Operation
from caregrid.main import GROUPS, help_page, main
from caregrid.operations import COMMANDS


@pytest.mark.parametrize("columns", [44, 60, 80, 200])
@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_every_command_is_listed_within_the_width(
    words: list[str], columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= min(columns, 100)
    listed = {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "}
    assert listed >= {name.replace("_", "-") for name in COMMANDS.names()}


def test_every_command_has_a_group() -> None:
    assert {COMMANDS[name].group for name in COMMANDS.names()} <= {*GROUPS}


def test_a_group_of_a_package_comes_last() -> None:
    def shout() -> None:
        """Say it louder.

        More.
        """

    page = help_page({"shout": Operation(shout, "Voices", "shout"), "solve": COMMANDS["solve"]})
    assert page.index(GROUPS[0]) < page.index("Voices") < page.index("Say it louder")
    assert "More.\n" not in page


@pytest.mark.parametrize("words", [["solve", "--help"], ["--help", "solve"], ["-h", "solve"]])
def test_help_of_a_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        raise SystemExit(main(words))
    assert stop.value.code == 0
    assert "--formulation" in capsys.readouterr().out
