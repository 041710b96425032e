"""The scripts of examples/ run, and docs/python.md names every public name."""

import ast
import os
import re
import runpy
import sys
from pathlib import Path

import pytest

import caregrid

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGE = ROOT / "docs" / "python.md"


def test_there_are_enough() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(path)])
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert os.access(path, os.X_OK)
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr()
    assert printed.out
    assert printed.err == ""


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert not [name for name in caregrid.__all__ if not re.search(rf"`(caregrid\.)?{name}\b", text)]


def test_the_altruist_opens_each_door_from_what_its_text_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """4 steps for 7 cells more, and for 1."""
    runpy.run_path(str(ROOT / "examples" / "altruist.py"), run_name="__main__")
    assert (
        f"discrete_choice: the door opens from {{'shut in': [{4 / 7:.3f}], 'free': [{4 / 1}]}}"
        in capsys.readouterr().out
    )
