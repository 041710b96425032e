"""A mistake in a file of a user's own is one line that names file and mistake, where it is validated and where used.

The table is `tests/data/users_mistakes.txt`.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from caregrid.main import main

TABLE = (Path(__file__).resolve().parents[1] / "data" / "users_mistakes.txt").read_text(encoding="utf-8")


class Mistake(NamedTuple):
    """What stands in the right file, what stands there instead, what is said, and whether the command says so too."""

    right: str
    wrong: str
    said: str
    used: bool


class Section(NamedTuple):
    """A kind, the name of its entry in the file, the command that uses it ("" for none), the right file, mistakes."""

    kind: str
    attribute: str
    command: str
    file: str
    mistakes: tuple[Mistake, ...]


def read_mistake(row: str) -> Mistake:
    right, wrong, said, *alone = row.split(" ==> ")
    return Mistake(write_out(right), write_out(wrong), said, not alone)


def write_out(text: str) -> str:
    """The text with its line ends."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def read_section(text: str) -> Section:
    head, _, rest = text.partition("\n")
    file, _, rows = rest.partition("--- mistakes\n")
    name, _, command = head.partition(":")
    kind, attribute = name.split()
    return Section(kind, attribute, command.strip(), file, tuple(map(read_mistake, rows.splitlines())))


SECTIONS = [read_section(text) for text in re.split(r"^=== ", TABLE, flags=re.MULTILINE)[1:]]


def answer(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says of a file own.py, in one line; "" where it takes it."""
    Path("own.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    sys.modules.pop("own", None)
    code = main(words)
    error = capsys.readouterr().err
    assert (code, error.count("\n")) in ((0, 0), (2, 1)), error
    assert not code or "own.py" in error
    return error


@pytest.mark.parametrize("section", SECTIONS, ids=[section.kind for section in SECTIONS])
@pytest.mark.usefixtures("users_folder")
def test_each_mistake_is_one_line(section: Section, capsys: pytest.CaptureFixture[str]) -> None:
    validate = ["validate", section.kind, f"own:{section.attribute}"]
    assert not answer(validate, section.file, capsys)
    for mistake in section.mistakes:
        assert mistake.right in section.file
        text = section.file.replace(mistake.right, mistake.wrong)
        for words in (validate, section.command.split() if mistake.used else []):
            assert not words or mistake.said in answer(words, text, capsys), mistake
