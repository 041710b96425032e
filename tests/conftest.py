"""Fixtures for every package: programs that pip cannot install, and files of a user's own."""

import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it: output that no terminal shows is not broken into lines


@pytest.fixture
def program() -> Callable[..., str]:
    """Find one of several programs; on a machine that promises to run everything (CI is set) their absence fails."""

    def find(*names: str) -> str:
        found = next((path for name in names if (path := shutil.which(name))), None)
        if found is None and os.environ.get("CI"):
            pytest.fail(f"none of {', '.join(names)} is installed, and CI must run this test")
        if found is None:
            pytest.skip(f"needs one of {', '.join(names)}")
        return found

    return find


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a file in the working directory, a piece of its text replaced, and name its module."""
    names: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def write(text: str, old: str = "", new: str = "") -> str:
        assert old in text
        names.append(f"own_{len(names)}_{tmp_path.name}".replace("-", "_"))
        Path(f"{names[-1]}.py").write_text(text.replace(old, new) if old else text)
        importlib.invalidate_caches()
        return names[-1]

    return write


@pytest.fixture(autouse=True)
def _forgotten_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Modules that a test has imported from its temporary folders are forgotten: another one may use their names."""
    before, folder = set(sys.modules), str(tmp_path_factory.getbasetemp())
    yield
    for name in sys.modules.keys() - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(folder):
            del sys.modules[name]
