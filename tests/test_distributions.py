"""The wheel and the source distribution: built by the backend itself, without network, and run from where they lie."""

import email
import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
PACKAGES = SETTINGS["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
NAME = f"caregrid-{PROJECT['version']}"
INFO = f"{NAME}.dist-info"
CONSTRAINTS = f"{NAME}.data/data/share/caregrid/constraints.txt"
MOST_BYTES = 3 * 1024 * 1024

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed (extra dev)"
)


def _build(kind: str, source: Path, folder: Path) -> Path:
    """What `hatchling` makes of a source tree. kind: "wheel" or "sdist"."""
    script = "import sys; from hatchling import build; print(getattr(build, 'build_' + sys.argv[1])(sys.argv[2]))"
    folder.mkdir(parents=True)
    command = [sys.executable, "-c", script, kind, str(folder)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build("wheel", ROOT, tmp_path_factory.mktemp("wheel") / "dist")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build("sdist", ROOT, tmp_path_factory.mktemp("sdist") / "dist")


def _package_files() -> set[str]:
    """All files of the packages, code and data, as they lie in the tree."""
    return {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        constraints = archive.read(CONSTRAINTS)
    written = {f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    assert names == _package_files() | written | {CONSTRAINTS}
    assert constraints == (ROOT / "constraints.txt").read_bytes()
    assert {Path(name).suffix for name in names} >= {".py", ".typed", ".css", ".js"}
    assert wheel.stat().st_size < MOST_BYTES


def test_the_wheel_says_what_the_project_says(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        said = email.message_from_bytes(archive.read(f"{INFO}/METADATA"))
        entry_points = archive.read(f"{INFO}/entry_points.txt").decode()
    assert (said["Name"], said["Version"], said["Requires-Python"]) == ("caregrid", PROJECT["version"], ">=3.11")
    assert set(said.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert said.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert "caregrid = caregrid.__main__:run" in entry_points


@pytest.mark.slow
def test_the_source_distribution_can_be_built_and_tested(sdist: Path, tmp_path: Path, wheel: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.removeprefix(f"{NAME}/") for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")}
    pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff"}
    assert names >= _package_files() | documents | tests | pages | {"pyproject.toml", "constraints.txt"}
    assert not {name.split("/")[0] for name in names} & {".git", ".venv", "results", "dist", "build"}
    assert sdist.stat().st_size < MOST_BYTES
    again = _build("wheel", tmp_path / NAME, tmp_path / "dist")
    assert again.read_bytes() == wheel.read_bytes()


def test_the_wheel_runs_without_the_tree(wheel: Path, tmp_path: Path) -> None:
    unpacked, elsewhere = tmp_path / "unpacked", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}

    def ask(*words: str) -> str:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert Path(ask("-c", "import caregrid; print(caregrid.__file__)").strip()).is_relative_to(unpacked)
    assert ask("-m", "caregrid", "--version") == f"caregrid {PROJECT['version']}\n"
    assert "workshop" in ask("-m", "caregrid", "list", "scenarios")
    ask("-m", "caregrid", "rollout", "playroom", "--actions", "right", "--out", "episode.html")
    assert (elsewhere / "episode.html").stat().st_size > 1000


def test_the_lowest_versions_are_those_that_the_project_admits() -> None:
    """What a workflow installs and runs at the lowest end is what `pyproject.toml` names."""
    extras = PROJECT["optional-dependencies"]
    bounds = dict(each.split(">=") for each in (*PROJECT["dependencies"], *extras["plot"], *extras["render"]))
    lines = (ROOT / "constraints-lowest.txt").read_text().splitlines()
    lowest = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: re.sub(r"(\.0)+$", "", version) for name, version in lowest.items()} == {
        name: re.sub(r"(\.0)+$", "", version) for name, version in bounds.items()
    }
