"""The scripts of examples/ run, and the snippets of docs/python.md give what the page shows."""

import ast
import doctest
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


def test_the_page_shows_what_its_snippets_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    shown = "\n".join(re.findall(r"^```pycon\n(.*?)^```", text, flags=re.S | re.M))
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    page = doctest.DocTestParser().get_doctest(shown, {"__name__": "__main__"}, PAGE.name, str(PAGE), 0)
    failures: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags, verbose=False).run(page, out=failures.append)
    assert result.attempted > 25
    assert result.failed == 0, "".join(failures)


@pytest.mark.parametrize("name", caregrid.__all__)
def test_every_public_name_is_on_the_page(name: str) -> None:
    assert re.search(rf"`(caregrid\.)?{name}\b", PAGE.read_text(encoding="utf-8")), f"{name} is not in docs/python.md"
