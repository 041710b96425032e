"""In a folder that has packages called like ours: the command works, also in workers; importing works or says why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caregrid import at_import

COMMAND = Path(sys.executable).parent / "caregrid"


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A working directory with packages named like three of ours, and like one that starts workers."""
    for name in ("experiments", "engine", "renderers", "loky"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    return tmp_path


def _run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"MPLBACKEND": "agg"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow_cases("run-")
@pytest.mark.skipif(not COMMAND.is_file(), reason="the command is not installed beside this interpreter")
@pytest.mark.parametrize(
    "words",
    [
        ["list", "scenarios"],
        ["show", "workshop_auto"],
        ["run", "be_considerate/figure_2a", "--engine", "local", "--workers", "2", "--quiet"],
        ["run", "be_considerate/figure_2a", "--engine", "dask", "--workers", "1", "--quiet"],
    ],
    ids=lambda words: "-".join(words[:4]),
)
def test_the_command_works(words: list[str], crowded: Path) -> None:
    done = _run(crowded, str(COMMAND), *words)
    assert done.returncode == 0, done.stderr


def test_importing_says_in_one_line_which_folder_hides_which_package(crowded: Path) -> None:
    done = _run(crowded, sys.executable, "-m", "caregrid", "list")
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert f"caregrid needs its package 'engine', but {crowded / 'engine'} hides it" in done.stderr
    done = _run(crowded, sys.executable, "-c", "import caregrid")
    assert done.stderr.splitlines()[-1].startswith("ImportError: caregrid needs its package 'engine', but ")


def test_folders_that_are_no_packages_hide_nothing(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "engine").mkdir()
    done = _run(tmp_path, sys.executable, "-m", "caregrid", "list", "scenarios")
    assert done.returncode == 0, done.stderr


def _installed(folder: Path, distribution: str, files: dict[str, str]) -> None:
    """As pip leaves a distribution: its files, and a record of them with their sizes."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    record = folder / f"{distribution}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("".join(f"{name},sha256=x,{len(text)}\n" for name, text in files.items()))


@pytest.mark.parametrize("others", ["experiments/theirs.py", "experiments/__init__.py", ""])
def test_another_distribution_in_the_folder_of_ours_is_named(
    others: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {f"{name}/__init__.py": '"""Ours."""\n' for name in ("caregrid", *at_import.PACKAGES)}
    _installed(tmp_path, "caregrid-0.1.0", {**ours, "experiments/runs/runner.py": "", "engine/mdp.py": ""})
    monkeypatch.setattr(at_import, "ROOT", tmp_path)
    monkeypatch.setattr(at_import, "_find_place", lambda name: tmp_path / name)
    at_import.require_own_packages()
    if others:
        _installed(tmp_path, "trials-2.3", {"trials/__init__.py": "", others: "import trials\n"})
        with pytest.raises(ImportError) as caught:
            at_import.require_own_packages()
        assert str(caught.value) == (
            f"caregrid needs its package 'experiments', but 'trials-2.3' has put files of its own into "
            f"{tmp_path / 'experiments'}; install each in an environment of its own"
        )
