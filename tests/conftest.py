"""Fixtures for every package: programs that pip cannot install, and files of a user's own."""

import compileall
import gc
import html
import importlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")  # a busy machine fails no test
BUILDING = 600.0  # seconds
os.environ.pop("COLUMNS", None)  # pytest-xdist sets it: output that no terminal shows is not broken into lines
if (processes := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))) > 1:  # each has its share of the cores
    os.environ["LOKY_MAX_CPU_COUNT"] = str(max(1, (os.cpu_count() or 1) // processes))
ROOT = Path(__file__).resolve().parent.parent
os.fsync = os.fstat  # type: ignore[assignment]  # what a test reads is there before the disk has it; the power stays on


def pytest_configure(config: pytest.Config) -> None:
    """Our modules are compiled once: processes that tests start would compile them again where Python may not write."""
    if not hasattr(config, "workerinput"):
        for package in ROOT.glob("*/__init__.py"):
            compileall.compile_dir(package.parent, quiet=2)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark `slow` the cases that `slow_cases` names by the beginnings of their ids, and those beyond the first few."""
    seen: Counter[str] = Counter()
    for item in items:
        for mark in item.iter_markers("slow_cases"):
            function = item.nodeid.partition("[")[0]
            seen[function] += 1
            if item.callspec.id.startswith(mark.args) or seen[function] > mark.kwargs.get("beyond", math.inf):
                item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: looking for garbage in it, again and again, takes a third of the time.

    Tests make few cycles: looking for them after every 20,000 new objects in place of 700 saves four percent.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


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
def chromium(program: Callable[..., str]) -> str:
    """A browser of the Chromium family."""
    return program("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture
def found_in_page(chromium: str, tmp_path: Path) -> Callable[..., Any]:
    """What a script at the end of a page writes, as JSON, into <pre id="found">, within some seconds of its own."""

    def drive(page: str, script: str, seconds: int) -> Any:
        driven = tmp_path / "driven.html"
        driven.write_text(page.replace("</body>", script + "</body>"), encoding="utf-8")
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}",
            f"--virtual-time-budget={1000 * seconds}", "--dump-dom", driven.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
        found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found is not None, done.stdout[-2000:]
        return json.loads(html.unescape(found[1]))

    return drive


@pytest.fixture(scope="session")
def live_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of the lessons as the site has them: place -> file. One worker of a run makes them, others wait."""
    from website.live_lessons import make_live_pages

    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made, failed = base / "pages made", base / "pages failed"
    try:
        (base / "pages").mkdir()
    except FileExistsError:
        deadline = time.monotonic() + BUILDING
        while not made.exists() and not failed.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        assert made.exists(), "another worker could not make the pages"
    else:
        try:
            make_live_pages()
        except BaseException:
            failed.touch()
            raise
        made.touch()
    return make_live_pages()


@pytest.fixture
def users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's working directory: caregrid finds the user's own files there, also after they were written anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    importlib.invalidate_caches()
    return tmp_path


@pytest.fixture
def written(users_folder: Path) -> Callable[..., str]:
    """Write a file in the working directory, a piece of its text replaced, and name its module."""
    names: list[str] = []

    def write(text: str, old: str = "", new: str = "") -> str:
        assert old in text
        names.append(f"own_{len(names)}_{users_folder.name}".replace("-", "_"))
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
