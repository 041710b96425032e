"""The examples in docstrings of `caregrid` print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import caregrid

PACKAGE = Path(caregrid.__file__).parent
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "    >>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_examples(path: Path) -> None:
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted
    assert not results.failed
