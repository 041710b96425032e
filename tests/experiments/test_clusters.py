"""The dask engine on other clusters: a running scheduler, SLURM jobs (its commands stood in for), and none at all."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from caregrid.main import main
from tests.experiments.processes import ROOT, finish_run

pytest.importorskip("distributed", reason="engine 'dask' needs the extra 'cluster'")

# Like the real one it keeps a copy of the script, which is deleted as soon as the command returns.
SUBMIT = """#!/bin/sh
script=$(mktemp) && cp "$1" "$script"
setsid sh "$script" > {log} 2>&1 &
echo "Submitted batch job $!"
"""
CANCEL = """#!/bin/sh
kill -- "-$1"
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands `sbatch` and `scancel` that run the job script on this machine."""
    pytest.importorskip("dask_jobqueue", reason="--slurm needs the extra 'cluster'")
    for name, text in (("sbatch", SUBMIT.format(log=tmp_path / "job.log")), ("scancel", CANCEL)):
        command = tmp_path / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(text)
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_slurm_jobs_give_the_same_bytes(slurm: Path) -> None:
    reference = finish_run("counting", slurm / "serial", "--engine", "serial")
    assert reference.returncode == 0, reference.stderr
    options = ("--slurm", "cores=1", "--slurm", "memory=1GB", "--slurm", "queue=short", "--slurm", "walltime=00:10:00")
    done = finish_run("counting", slurm / "jobs", "--engine", "dask", "--workers", "2", *options)
    assert done.returncode == 0, done.stderr
    assert (slurm / "jobs" / "rows.csv").read_bytes() == (slurm / "serial" / "rows.csv").read_bytes()
    assert "Closing Nanny" in (slurm / "job.log").read_text()


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it; a dask worker that loses its scheduler while it closes may wait for ever."""
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()


@pytest.fixture
def scheduler_file(tmp_path: Path) -> Iterator[Path]:
    """A scheduler and a worker that run already."""
    path = tmp_path / "scheduler.json"
    common = ("--scheduler-file", str(path), "--no-dashboard")
    with (
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", *common, "--port", "0"], stderr=subprocess.DEVNULL
        ) as scheduler,
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny"],
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as worker,
    ):
        deadline = time.monotonic() + 60
        while not path.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield path
        for process in (worker, scheduler):
            stop(process)


@pytest.mark.slow
def test_a_running_scheduler_is_joined_and_left_running(scheduler_file: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        done = finish_run("counting", folder, "--engine", "dask", "--scheduler", str(scheduler_file))
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "one" / "rows.csv").read_bytes() == (tmp_path / "two" / "rows.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:9"], "no scheduler answers at tcp://127.0.0.1:9"),
        (["--slurm", "queue=short"], "give at least cores=N and memory=SIZE"),
        (["--slurm", "coers=1"], "--slurm: unknown option 'coers'; did you mean 'cores'"),
        (["--slurm", "cores=1", "--scheduler", "tcp://127.0.0.1:9"], "leave one of them out"),
    ],
)
def test_a_cluster_that_cannot_be_had_is_one_line_and_nothing_is_written(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("experiments.runs.engines.dask.CONNECT_SECONDS", 1)
    monkeypatch.setenv("HOME", str(tmp_path))
    out = tmp_path / "out"
    code = main(["run", "tests.experiments.workloads:counting", "--engine", "dask", *words, "--out", str(out)])
    error = capsys.readouterr().err
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()
