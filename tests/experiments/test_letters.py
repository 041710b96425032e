"""What is sent to a worker is opened there by Python alone: what it lacks, or has otherwise, is one line."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments.runs.engines._letter import seal_call

ROOT = str(Path(__file__).resolve().parents[2])


def _opened(text: str, letter: dict[str, Any], *flags: str, path: str = ROOT) -> str:
    """Open a letter in another process, and give the last line that it says."""
    done = subprocess.run(
        [sys.executable, *flags, "-c", f"print(eval({text!r}, {letter!r}))"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd="/",
        timeout=100,
    )
    return (done.stdout + done.stderr).strip().splitlines()[-1]


def test_a_letter_is_opened_by_python_alone() -> None:
    _, (text, letter) = seal_call(pow, (2, 10))
    assert _opened(text, letter) == "1024"


def test_a_worker_without_caregrid_says_so() -> None:
    _, (text, letter) = seal_call(pow, (2, 10))
    said = _opened(text, letter, "-I", "-S")
    assert "finds no package 'caregrid'; install caregrid there, with the same versions" in said


def test_another_package_of_our_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "__init__.py").touch()
    _, (text, letter) = seal_call(pow, (2, 10))
    said = _opened(text, letter, path=f"{tmp_path}{os.pathsep}{ROOT}")
    assert f"finds another package 'experiments' at {tmp_path / 'experiments'}; see what lies there" in said


@pytest.mark.parametrize("name", ["Python", "caregrid", "numpy", "numba"])
def test_another_version_is_named(name: str) -> None:
    _, (text, letter) = seal_call(pow, (2, 10))
    versions = letter["arguments"]["versions"]
    letter["arguments"]["versions"] = {**versions, name: "0.0.1"}
    if not versions[name]:
        pytest.skip(f"{name} is not installed as a distribution")
    said = _opened(text, letter)
    assert f"has {name} {versions[name]}, this session 0.0.1; install the same versions everywhere" in said


def test_a_module_of_the_users_is_found_in_the_working_folder_or_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_numbers.py").write_text("def double(n): return 2 * n\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    _, (text, letter) = seal_call(importlib.import_module("own_numbers").double, (21,))
    assert _opened(text, letter) == "42"
    (tmp_path / "own_numbers.py").unlink()
    said = _opened(text, letter)
    assert "cannot load it: ModuleNotFoundError: No module named 'own_numbers'; a worker needs all modules" in said
