"""Shards of a grid: disjoint, of equal size, the same bytes together; killed, resumed, and as jobs of any scheduler."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caregrid
from caregrid.main import main
from caregrid.runs.execution import RunNotFinished
from experiments.runs.dispatch import ShardOfGrid, SharedWork
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.runs.shards import Shard
from experiments.setting_grid import SettingGrid
from tests.experiments import workloads
from tests.experiments.processes import ROOT, WORKLOADS, finish_run, start_run, stored_lines

COUNTING = ("run", f"{WORKLOADS}:counting")


@given(st.integers(0, 300), st.integers(1, 40))
def test_every_unit_is_in_one_shard_and_sizes_differ_by_at_most_one(units: int, shards: int) -> None:
    dealt = [list(Shard(number, shards).deal(units)) for number in range(1, shards + 1)]
    assert sorted(place for places in dealt for place in places) == list(range(units))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1
    assert all(places == sorted(places) for places in dealt)


def test_no_shard_has_all_units_of_one_value() -> None:
    places = Shard(1, 2).deal(100)
    assert 35 <= sum(place % 2 for place in places) + sum(place < 50 for place in places) <= 65


@pytest.mark.slow
def test_shards_at_the_same_time_give_the_same_bytes_and_the_last_one_finishes(tmp_path: Path) -> None:
    assert finish_run("slow_units", tmp_path / "whole", "--engine", "serial").returncode == 0
    out = tmp_path / "out"
    engines = (("--engine", "serial"), ("--engine", "local", "--workers", "2"), ("--engine", "serial"))
    shards = [start_run("slow_units", out, "--shard", f"{n}/3", *engine) for n, engine in enumerate(engines, 1)]
    deadline = time.monotonic() + 60
    while len(stored_lines(out)) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    shards[2].kill()
    for shard in shards:
        with shard:
            said, err = shard.communicate(timeout=100)
        assert (shard.returncode, err) == (0, "") or shard is shards[2]
        assert shard is shards[2] or re.match(
            r"40 of 40 units of shard ./3 are stored in .*; \d+ of other shards are missing", said
        )
    assert not (out / "rows.csv").exists()
    again = finish_run("slow_units", out, "--shard", "3/3", "--engine", "serial")
    assert "40 of 40 units of shard 3/3 are stored" in again.stdout
    assert again.returncode == 0
    assert (out / "rows.csv").read_bytes() == (tmp_path / "whole" / "rows.csv").read_bytes()
    lines = stored_lines(out)
    assert len(lines) == len(set(lines)) == 120
    assert not (out / "claims").exists()


def test_shards_of_large_grids_do_not_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a block holds several units, those of two shards are never in one block."""
    monkeypatch.setattr("experiments.runs.dispatch.MOST_BLOCKS", 4)
    settings = {"care": tuple(range(21)), "seed": (0,)}
    other = RunDirectory(tmp_path, workloads.counting)
    other.prepare({})
    second = SharedWork(ShardOfGrid(SettingGrid(settings), Shard(2, 2)), other, force=False)
    assert len(second.take(1)) == 3
    first = run_experiment(workloads.counting, tmp_path, settings, shard=Shard(1, 2))
    assert (first.units, first.done, first.missing, first.exit_code) == (11, 11, 10, 0)
    assert not first.complete
    second.close()
    other.close()
    assert run_experiment(workloads.counting, tmp_path, settings, shard=Shard(2, 2)).complete
    assert str(RunDirectory(tmp_path, workloads.counting).tally()) == "21 units"


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("sweep", "workshop", "--care", "0:7:0.01"), ("sweep.csv", "breakpoints.json", "sweep.png")),
        (("battery", "--agents", "constant,random", "--turns", "10", "--seeds", "2"), ("battery.csv",)),
        (("bench", "copies", "--quick"), ("bench.json",)),
    ],
    ids=["sweep", "battery", "bench"],
)
def test_every_command_that_runs_units_takes_shards(
    words: tuple[str, ...], files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = (*words, "--engine", "serial", "--quiet", "--out")
    for shard in ("2/2", "1/2"):
        assert not any((tmp_path / "two" / file).exists() for file in files)
        assert main([*common, str(tmp_path / "two"), "--shard", shard]) == 0, capsys.readouterr().err
    assert "of other shards are missing" in capsys.readouterr().out
    assert main([*common, str(tmp_path / "one")]) == 0
    for file in files:
        assert (tmp_path / "two" / file).read_bytes() == (tmp_path / "one" / file).read_bytes()


def test_in_python_a_shard_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(RunNotFinished, match=r"of shard 1/3 are stored in .* of other shards are missing") as raised:
        caregrid.problem("workshop").sweep(care="0:7:0.01", out=tmp_path, shard="1/3")
    assert raised.value.summary.exit_code == 0


def _write_script(scheduler: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "caregrid", *COUNTING, "--out", "out", "--engine", "serial", "--quiet", *words]
    return subprocess.run(
        [*command, "--array-script", scheduler],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.slow
def test_jobs_of_four_schedulers_meet_in_one_directory(tmp_path: Path) -> None:
    """Each script is run as its scheduler would, with the number of a job in the variable of that scheduler."""
    (tmp_path / "caregrid").write_text(f'#!/bin/sh\nexec {sys.executable} -m caregrid "$@"\n')
    (tmp_path / "caregrid").chmod(0o755)
    numbers = {
        "slurm": {"SLURM_ARRAY_TASK_ID": "1"},
        "pbs": {"PBS_ARRAY_INDEX": "2"},
        "lsf": {"LSB_JOBINDEX": "3"},
        "kubernetes": {"JOB_COMPLETION_INDEX": "3"},
    }
    jobs = []
    for name, number in numbers.items():
        written = _write_script(f"{name}:4", tmp_path)
        assert written.returncode == 0, written.stderr
        script = written.stdout
        assert re.search(r"1-4\b|completions: 4\n", script)
        if name == "kubernetes":
            command = re.search(r"command: (\[.*\])\n", script)
            assert command is not None
            shell, option, script = json.loads(command[1])
            assert (shell, option) == ("/bin/sh", "-c")
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **number}
        folder = tmp_path if name == "kubernetes" else tmp_path.parent
        jobs.append(subprocess.Popen(["sh", "-c", script], cwd=folder, env=environment, stdout=subprocess.DEVNULL))
    assert [job.wait(timeout=100) for job in jobs] == [0, 0, 0, 0]
    assert len(stored_lines(tmp_path / "out")) == 36
    assert (tmp_path / "out" / "figure.png").exists()
