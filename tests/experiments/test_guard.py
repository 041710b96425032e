"""Nothing hangs: what a unit does to its process concerns that unit alone, and one line says what there is to say."""

import builtins
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from caregrid.main import _say_what_is_raised_late
from experiments.experiment import Experiment, Rows
from experiments.runs.process import ProcessGuard
from experiments.runs.runner import run_experiment
from tests.experiments.processes import ROOT


def run_rudely(deed: str, n: int, key: int) -> Rows:
    """Unit 1 does something to its process; all give a row."""
    if n == 1:
        DEEDS[deed]()
    return [{"square": n * n}]


def leave_thread() -> None:
    threading.Thread(target=time.sleep, args=(10_000,)).start()


def leave_stubborn_thread() -> None:
    threading.Thread(target=time.sleep, args=(10_000,), daemon=False).start()


def change_folder() -> None:
    os.chdir("/")


def set_alarm() -> None:
    signal.alarm(1)
    time.sleep(1.5)


def leave_alarm() -> None:
    signal.alarm(1)


def ignore_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def close_output() -> None:
    sys.stdout.close()
    print("nobody minds")


def close_descriptors() -> None:
    os.close(1)
    os.close(2)


def fork() -> None:
    if child := os.fork():
        os.waitpid(child, 0)


def unload_modules() -> None:
    for name in ("json", "experiments.runs.unit", "experiments.runs.process"):
        sys.modules.pop(name, None)


def forget_path() -> None:
    sys.path.clear()


def empty_environment() -> None:
    os.environ.clear()


def allow_few_calls() -> None:
    sys.setrecursionlimit(sys.getrecursionlimit() - 100)


def hide_files() -> None:
    os.umask(0o777)


def raise_on_overflow() -> None:
    np.seterr(all="raise")


def forget_builtins() -> None:
    for name in ("open", "isinstance", "next", "getattr", "BaseException"):
        setattr(builtins, name, None)
    del builtins.print


def raise_in_thread() -> None:
    thread = threading.Thread(target=[].pop)
    thread.start()
    thread.join()


class Clinging:
    def __del__(self) -> None:
        raise ValueError("it stays")


def raise_when_deleted() -> None:
    Clinging()


LEFT = list[Clinging]()


def raise_when_the_process_ends() -> None:
    LEFT.append(Clinging())


DEEDS = {
    deed.__name__: deed
    for deed in (
        leave_thread,
        leave_stubborn_thread,
        change_folder,
        set_alarm,
        leave_alarm,
        ignore_signals,
        close_output,
        close_descriptors,
        fork,
        unload_modules,
        forget_path,
        empty_environment,
        allow_few_calls,
        hide_files,
        raise_on_overflow,
        forget_builtins,
        raise_in_thread,
        raise_when_deleted,
        raise_when_the_process_ends,
    )
}
rude = Experiment("rude", {"deed": tuple(DEEDS), "n": (0, 1, 2)}, run_rudely)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("engine", [["serial"], ["local", "--workers", "2"]], ids=lambda words: words[0])
def test_what_a_unit_does_to_its_process_concerns_it_alone(engine: list[str], tmp_path: Path) -> None:
    words = ["run", "tests.experiments.test_guard:rude", "--engine", *engine, "--out", "out", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "caregrid", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    units = 3 * len(DEEDS)
    assert f"{units - 1} of {units} units are stored in out ({units - 1} now, 0 before), 1 failed" in done.stdout
    assert done.returncode == 1, done.stderr
    assert "nobody minds" in done.stderr  # in any line: two processes write there
    lines = done.stderr.replace("nobody minds", "").splitlines()
    said = {line for line in lines if line and "running, which end with their process" not in line}
    assert len(said) < len(lines)
    place = "ValueError: it stays (test_guard.py, line "
    thread = "caregrid: in a thread: IndexError: pop from empty list (threading.py, line "
    uncaught = [thread, f"caregrid: where nobody can catch it: {place}"]
    assert len(said) == len(uncaught), done.stderr
    assert all(any(line.startswith(begin) for line in said) for begin in uncaught), done.stderr
    [log] = (tmp_path / "out" / "logs").glob("*.log")
    failed = '{"deed":"set_alarm","n":1}: TimeoutError: an alarm that it has set itself went off'
    assert f"failed: {failed}" in log.read_text()


def interrupt_itself(n: int, key: int) -> Rows:
    if n == 1:
        os.kill(os.getpid(), signal.SIGINT)
    return [{"square": n * n}]


def test_an_interrupt_that_a_unit_sends_itself_is_a_stop_like_any_other(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    experiment = Experiment("interrupting", {"n": (0, 1, 2)}, interrupt_itself)
    first = run_experiment(experiment, tmp_path)
    assert (first.stopped, first.done, first.failures) == ("SIGINT", 2, [])
    assert capfd.readouterr().err.strip().startswith("caregrid: finishing what runs")
    second = run_experiment(experiment, tmp_path)
    assert (second.stopped, second.done, second.already) == (None, 1, 2)


def test_what_is_raised_when_the_process_ends_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", _say_what_is_raised_late)
    source = "class Left:\n    def __del__(self):\n        raise ValueError('it stays')\n\nLeft()\n"
    exec(compile(source, str(tmp_path / "kitchen.py"), "exec"), {})
    assert capsys.readouterr().err == "caregrid: kitchen.py, line 3: ValueError: it stays; mend it there\n"


def read_settings() -> list[object]:
    umask = os.umask(0)
    os.umask(umask)
    return [[*sys.path], {**os.environ}, sys.getrecursionlimit(), umask, np.geterr(), os.getcwd()]


@pytest.mark.parametrize(
    "deed", [change_folder, forget_path, empty_environment, allow_few_calls, hide_files, raise_on_overflow]
)
def test_the_next_unit_finds_its_process_as_it_was(deed: Callable[[], None]) -> None:
    """Otherwise its rows would depend on which unit has run in the process before."""
    before = read_settings()
    guard = ProcessGuard()
    with guard:
        deed()
        assert read_settings() != before
    assert read_settings() == before
    assert guard.close() == ""


def test_what_a_library_adds_on_import_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    guard = ProcessGuard()
    with guard:
        sys.path.append("/of/a/library")
        monkeypatch.setenv("OF_A_LIBRARY", "1")
    guard.close()
    assert sys.path[-1] == "/of/a/library"
    assert os.environ["OF_A_LIBRARY"] == "1"


def test_processes_that_units_leave_are_ended_and_those_of_before_are_not() -> None:
    context = multiprocessing.get_context("spawn")
    before, left = (context.Process(target=time.sleep, args=(10_000,)) for _ in range(2))
    before.start()
    try:
        guard = ProcessGuard()
        with guard:
            left.start()
        assert guard.close() == "units left 1 process running, now ended"
        assert (before.is_alive(), left.is_alive()) == (True, False)
    finally:
        before.kill()
        before.join()


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("files", [16, 20, 22, 24])
def test_too_few_files_are_one_line_and_the_same_command_goes_on(files: int, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "caregrid", "run", "tests.experiments.workloads:counting", "--quick", "--quiet"]
    words += ["--engine", "local", "--workers", "2", "--out", str(tmp_path / "out")]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, preexec_fn=limit)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, done.stderr
    assert "too many open files" in done.stderr
    assert subprocess.run(words, env=env, capture_output=True, timeout=60).returncode == 0


def test_ctrl_c_while_modules_load_is_one_line(tmp_path: Path) -> None:
    """The signal comes while a module that every command needs is being executed."""
    script = """
import os, runpy, signal, sys
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == "caregrid.command_line.parser":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupter())
sys.argv = ["caregrid", "list"]
runpy.run_module("caregrid", run_name="__main__")
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "caregrid: interrupted\n")
