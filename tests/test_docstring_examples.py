"""Every example in a docstring of ours prints what it shows."""

import doctest
import importlib
from pathlib import Path

import pytest

from tests.test_architecture import ROOT, SOURCES

SHOWING = [path.relative_to(ROOT) for path in SOURCES if "    >>> " in path.read_text(encoding="utf-8")]


@pytest.mark.slow_cases("caregrid/operations/experiments", "xenv/contract_checks")
@pytest.mark.parametrize("path", SHOWING, ids=str)
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    found = doctest.testmod(module)
    assert found.attempted == (ROOT / path).read_text(encoding="utf-8").count("    >>> ")
    assert not found.failed
