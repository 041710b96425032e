"""Whatever an engine of a user's own does against the contract of engines is one line that names it."""

import sys
from pathlib import Path

import pytest

from caregrid.main import main
from experiments.runs import runner as session

ENGINE = """
from concurrent.futures import Future
from experiments.runs.engines import ExecutionEngine

class Mine(ExecutionEngine):
    capacity = 2
    def start(self): pass
    def submit(self, function, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future
    def wait(self, futures, timeout): return list(futures)
    def close(self, abandon): pass
"""
BROKEN = {
    "no future": ("    def submit(self, function, *given): return function(*given)", "submit gave"),
    "a result of nothing": (
        "    def submit(self, function, *given): future = Future(); future.set_result(None); return future",
        "submit gave None; expected a future of what the function returns",
    ),
    "results of too few": (
        "    def submit(self, function, *given): future = Future(); future.set_result([]); return future",
        "submit gave []; expected a future of what the function returns",
    ),
    "nothing to wait for": ("    def wait(self, futures, timeout): return None", "wait gave None; expected some of"),
    "foreign futures": ("    def wait(self, futures, timeout): return [Future()]", "expected some of the futures"),
    "lists": ("    def wait(self, futures, timeout): return [[]]", "expected some of the futures"),
    "futures twice": ("    def wait(self, futures, timeout): return [*futures, *futures]", "each once"),
    "unfinished": ("    def submit(self, function, *given): return Future()", "expected futures that are done"),
    "no news": ("    def news(self): return None", "news gave None; expected a list of texts"),
    "no capacity": ("    capacity = 0", "capacity gave 0; expected a whole number from 1 on"),
    "a capacity in words": ("    capacity = 'two'", "capacity gave 'two'; expected a whole number from 1 on"),
    "endless chunks": ("    chunk_seconds = float('inf')", "chunk_seconds gave inf; expected a number of seconds"),
    "no class": ("    lost = OSError", "lost gave the class OSError; expected a tuple of classes of exceptions"),
    "other arguments": ("    def close(self): pass", "takes (self); it is called as close(self, abandon)"),
    "no options": ("    def __init__(self): pass", "takes (self); it is called as MyEngine(options)"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_engine_is_named(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change, message = BROKEN[what]
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"own_engine_{list(BROKEN).index(what)}"
    (tmp_path / f"{name}.py").write_text(f"{ENGINE}{change}\n")
    words = ["run", "tests.experiments.workloads:counting", "--engine", f"{name}:Mine", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.startswith(f"caregrid: {name}.py, ")
    assert printed.count("\n") == 1
    sys.modules.pop(name)


def test_the_engine_without_a_change_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_engine_sound.py").write_text(ENGINE)
    words = ["run", "tests.experiments.workloads:counting", "--engine", "own_engine_sound:Mine", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    sys.modules.pop("own_engine_sound")


NEVER = """    ends_hanging_units = True
    def submit(self, function, *given): return Future()
    def wait(self, futures, timeout): return []
"""


def test_an_engine_that_never_ends_a_unit_is_spoken_of_and_refused_at_the_time_that_a_unit_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(session, "SILENT_SECONDS", 0.05)
    monkeypatch.setattr(session, "GRACE_SECONDS", 0.2)
    (tmp_path / "own_engine_never.py").write_text(f"{ENGINE}{NEVER}")
    words = ["run", "tests.experiments.workloads:counting", "--engine", "own_engine_never:Mine", "--quiet"]
    assert main([*words, "--unit-timeout", "0.1", "--out", str(tmp_path / "run")]) == 2
    spoken, refused = capsys.readouterr().err.splitlines()
    place = "caregrid: own_engine_never.py, class Mine"
    assert spoken == f"{place}: no unit has come back in 0.05 s; 'caregrid validate engines' checks it"
    assert refused.startswith(f"{place}: it has not ended a unit after 0 s, and the most is 0.1 s")
    sys.modules.pop("own_engine_never")
