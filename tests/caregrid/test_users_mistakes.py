"""A mistake in a file of a user's own is one line that names file and mistake, where it is validated and where used."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from caregrid.main import main
from tests.users_files import SECTIONS, Section


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
