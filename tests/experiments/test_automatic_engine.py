"""The engine that begins in this process: when it goes on in others, and what stays here."""

import os
import signal
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from caregrid.runs.execution import Execution, RunNotFinished
from experiments.experiment import Experiment, Rows
from experiments.runs.engines import automatic


def report_process(n: int, key: int) -> Rows:
    return [{"process": os.getpid(), "number": key % 1000 + n}]


def count_units(run: Callable[..., Rows], units: int) -> Experiment:
    return Experiment("a few units", {"n": tuple(range(units))}, run, name="few")


def list_processes(rows: list[Rows]) -> set[object]:
    return {row["process"] for [row] in rows}


def test_short_work_stays_here_and_long_work_goes_on_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loky.cpu_count", lambda: 2)
    here = Execution().compute_rows(count_units(report_process, 6))
    assert list_processes(here) == {os.getpid()}
    monkeypatch.setattr(automatic, "SECONDS_HERE", 0.0)
    elsewhere = Execution().compute_rows(count_units(report_process, 6))
    assert os.getpid() in list_processes(elsewhere)
    assert len(list_processes(elsewhere)) > 1
    assert [row["number"] for [row] in here] == [row["number"] for [row] in elsewhere]


def test_one_worker_and_one_core_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automatic, "SECONDS_HERE", 0.0)
    assert list_processes(Execution(workers=1).compute_rows(count_units(report_process, 3))) == {os.getpid()}
    monkeypatch.setattr("loky.cpu_count", lambda: 1)
    assert list_processes(Execution().compute_rows(count_units(report_process, 3))) == {os.getpid()}


def test_what_cannot_be_sent_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.Lock()

    def hold(n: int, key: int) -> Rows:
        with lock:
            return report_process(n, key)

    monkeypatch.setattr("loky.cpu_count", lambda: 2)
    monkeypatch.setattr(automatic, "SECONDS_HERE", 0.0)
    assert list_processes(Execution().compute_rows(count_units(hold, 4))) == {os.getpid()}


def test_a_stop_leaves_nothing_of_what_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(n: int, key: int) -> Rows:
        if n == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return report_process(n, key)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(RunNotFinished) as stopped:
        Execution().compute_rows(count_units(stop, 4))
    assert stopped.value.exit_code == 130
    assert 1 <= stopped.value.summary.done <= 2
    assert not list(tmp_path.iterdir())


def test_a_shard_of_what_is_not_kept_is_refused() -> None:
    with pytest.raises(Exception, match="a shard of which nothing is kept"):
        Execution(shard="1/2").compute_rows(count_units(report_process, 3))
