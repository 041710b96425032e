"""A command line that cannot be is refused in one line with exit code 2, and nothing is printed or left behind.

The table is `tests/data/refused_lines.txt`.
"""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path

import pytest

from caregrid.main import main

TABLE = (Path(__file__).resolve().parents[1] / "data" / "refused_lines.txt").read_text(encoding="utf-8")
ROWS = [row.split(" ==> ") for row in TABLE.partition("exit code is 2.\n\n")[2].splitlines()]
OF_COMMAND = {command: list(rows) for command, rows in itertools.groupby(sorted(ROWS), lambda row: row[0].split()[0])}


@pytest.mark.parametrize("command", OF_COMMAND)
def test_each_line_is_refused(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line, said in OF_COMMAND[command]:
        code = main(shlex.split(line))
        printed = capsys.readouterr()
        assert (code, printed.out, printed.err.count("\n")) == (2, "", 1), line
        assert printed.err.startswith("caregrid")
        assert said in printed.err, line
        assert not list(tmp_path.iterdir()), line
