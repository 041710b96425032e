"""`caregrid doctor`: what is installed, and commands that install the rest in the tested versions."""

import re
import shlex
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from caregrid import installation
from caregrid import installation as commands
from caregrid.main import main
from tests.printed_json import printed_content

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[ ]", each)[0] for each in requirements}


def test_the_extras_are_those_of_the_project() -> None:
    declared = {name: _names(packages) for name, packages in PROJECT["optional-dependencies"].items()}
    del declared["all"], declared["dev"]
    by_hand = {extra: set(packages) for extra, packages in commands.BY_HAND.items()}
    expected = {"core": _names(PROJECT["dependencies"])} | {
        extra: packages | by_hand.get(extra, set()) for extra, packages in declared.items()
    }
    assert {extra: set(packages) for extra, packages in installation.EXTRAS.items()} == expected


def test_a_missing_extra_is_installed_with_the_constraints_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = {"matplotlib", "mo-gymnasium"}
    real = installation._version
    monkeypatch.setattr(installation, "_version", lambda name: None if name in absent else real(name) or "1")
    main(["doctor", "--json"])
    install = printed_content(capsys.readouterr().out)["install"]
    pip = [sys.executable, "-m", "pip", "install"]
    kept = ["-c", str(ROOT / "constraints.txt")]
    assert {extra: shlex.split(command) for extra, command in install.items()} == {
        "plot": [*pip, *kept, "-e", f"{ROOT}[plot]"],
        "worlds": [*pip, *kept, "-e", f"{ROOT}[worlds]", "&&", *pip, *kept, "--no-deps", "mo-gymnasium"],
    }
    main(["doctor"])
    assert f"to install plot: {install['plot']}\n" in capsys.readouterr().out


def test_repairs_keep_the_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "_version", lambda name: None if name == "numpy" else "1")
    missing, clash = installation.inspect_installation().problems
    assert missing.endswith(commands.write_install_command())
    assert f"pip install -c {shlex.quote(str(ROOT / 'constraints.txt'))} pygame-ce" in clash


class _Installed:
    """A distribution as a wheel leaves it: packages here, data elsewhere."""

    def __init__(self, *files: Path) -> None:
        self.files = [_File(file) for file in files]


class _File:
    def __init__(self, place: Path) -> None:
        self.place, self.parts = place, place.parts

    def locate(self) -> Path:
        return self.place


def test_a_wheel_finds_the_constraints_that_it_brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = tmp_path / "with blanks" / "share" / "caregrid" / "constraints.txt"
    brought.parent.mkdir(parents=True)
    brought.write_text("numpy==2\n")
    monkeypatch.setattr(commands, "distribution", lambda name: _Installed(tmp_path / "caregrid" / "main.py", brought))
    words = shlex.split(commands.write_install_command("deep", root=tmp_path))
    assert words[3:] == ["install", "-c", str(brought.resolve()), "caregrid[deep]"]


def test_without_the_file_the_command_has_no_constraints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "distribution", lambda name: _Installed(tmp_path / "caregrid" / "constraints.txt"))
    assert shlex.split(commands.write_install_command(root=tmp_path))[1:] == ["-m", "pip", "install", "caregrid"]

    def nothing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(commands, "distribution", nothing)
    assert "-c" not in shlex.split(commands.write_install_command(root=tmp_path))
