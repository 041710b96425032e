"""The dask engine on a cluster that runs already, and on none at all; `test_slurm` has SLURM."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from caregrid.main import main
from experiments.runs.engines import EngineOptions
from experiments.runs.engines._tls import make_certificates
from experiments.runs.engines.dask import DaskEngine, let_workers_be_killed
from tests.experiments.processes import PLAIN, ROOT, finish_run, start_run, stored_lines, workers_of

distributed = pytest.importorskip("distributed", reason="engine 'dask' needs the extra 'cluster'")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it; a dask worker that loses its scheduler while it closes may wait for ever."""
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()


@pytest.fixture
def scheduler_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scheduler and a worker that run already, with certificates that dask's configuration names."""
    security = make_certificates(without_tls=False)
    (tmp_path / "certificate.pem").write_text(security.tls_ca_file)
    (tmp_path / "key.pem").write_text(security.tls_client_key)
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT", str(tmp_path / "certificate.pem"))
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY", str(tmp_path / "key.pem"))
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CA_FILE", str(tmp_path / "certificate.pem"))
    path = tmp_path / "scheduler.json"
    common = ("--scheduler-file", str(path), "--no-dashboard", "--protocol", "tls")
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


@pytest.mark.slow
def test_a_worker_that_lacks_a_package_fails_the_first_unit_with_that_word(
    scheduler_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "only_here.py").write_text("RESULT = 1\n")
    (tmp_path / "own_paper.py").write_text(
        "from only_here import RESULT\n"
        "from experiments.experiment import Experiment\n"
        "def run(n, key): return [{'value': RESULT}]\n"
        "mine = Experiment('a paper', {'n': tuple(range(300))}, run)\n"
    )
    command = ["run", "own_paper:mine", "--engine", "dask", "--scheduler", str(scheduler_file), "--out", "out"]
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path / 'here'}"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 2, done.stderr
    assert "cannot load it: ModuleNotFoundError: No module named 'only_here'; a worker needs" in done.stderr
    assert "0 of 300 units are stored" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:9", "--without-tls"], "no scheduler answers at tcp://127.0.0.1:9"),
        (
            ["--scheduler", "tcp://127.0.0.1:9"],
            "tcp://127.0.0.1:9 has no TLS: others can run code as you; start",
        ),
        (["--scheduler", "tls://127.0.0.1:9"], "no certificate for this scheduler; name ca-file and client.cert in"),
        (["--scheduler", __file__], "it is no scheduler file; or give tls://HOST:PORT"),
        (["--slurm", "queue=short"], "give at least cores=N and memory=SIZE"),
        (["--slurm", "cores=1", "--slurm", "memory=1GB", "--slurm", "walltime=banana"], "HOURS:MINUTES:SECONDS"),
        (["--slurm", "cores=1", "--slurm", "memory=1GB", "--slurm", "walltime=99:99:99"], "HOURS:MINUTES:SECONDS"),
        (["--slurm", "cores=1", "--slurm", "memory=1GB", "--slurm", "death_timeout=soon"], "a whole number from 1 on"),
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


@pytest.mark.slow
def test_a_worker_killed_while_it_starts_is_one_line_and_the_same_command_goes_on(tmp_path: Path) -> None:
    words = ("--engine", "dask", "--workers", "2", "--quick")
    with start_run("counting", tmp_path, *words) as process:
        deadline = time.monotonic() + 30
        spawned: list[int] = []
        while not spawned and process.poll() is None:
            assert time.monotonic() < deadline, "no worker is being started"
            spawned = workers_of(process.pid)
        os.kill(spawned[0], signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.count("\n") == 1, err
    assert "its workers cannot be started: " in err
    assert finish_run("counting", tmp_path, *words).returncode == 0


def _answers(address: str, security: Any) -> bool:
    client: Any = distributed.Client
    try:
        with client(address, security=security, timeout=2, set_as_default=False) as stranger:
            return bool(stranger.nthreads())  # who reaches the scheduler may submit; its worker is busy
    except (OSError, TypeError, ValueError):
        return False


@pytest.mark.slow
@pytest.mark.parametrize("tls", [True, False])
def test_only_who_has_the_key_of_a_run_reaches_its_cluster(tls: bool, tmp_path: Path) -> None:
    words = ("--engine", "dask", "--workers", "1", *(() if tls else ("--without-tls",)))
    with start_run("patient_units", tmp_path, *words) as process:
        deadline = time.monotonic() + 60
        while not stored_lines(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        opened = [one.laddr for one in psutil.Process(process.pid).net_connections("inet") if one.status == "LISTEN"]
        assert opened
        assert {place.ip for place in opened} == {"127.0.0.1"}
        stranger = make_certificates(without_tls=False)
        tries = [
            (f"{kind}://127.0.0.1:{place.port}", security)
            for place in opened
            for kind, security in (("tcp", None), ("tls", stranger))
        ]
        with ThreadPoolExecutor(len(tries)) as together:  # before the run ends
            assert any(together.map(_answers, *zip(*tries, strict=True))) is not tls
        process.kill()


@pytest.mark.slow
def test_a_program_without_a_main_guard_is_not_run_again_by_the_workers(tmp_path: Path) -> None:
    """A script that only calls us, and console scripts that say nothing of `__main__`, run as they are."""
    (tmp_path / "script.py").write_text(
        "from caregrid.main import main\n"
        "print('begun', flush=True)\n"
        "main(['run', 'multislot/threshold', '--quick', '--engine', 'dask', '--workers', '1', '--out', 'rows'])\n"
    )
    ran = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ran.stdout.splitlines().count("begun") == 1
    assert "cannot be started" not in ran.stderr
    assert main(["run", "multislot/threshold", "--quick", "--engine", "serial", "--out", str(tmp_path / "serial")]) == 0
    assert (tmp_path / "rows/rows.csv").read_bytes() == (tmp_path / "serial/rows.csv").read_bytes()


def test_a_worker_that_does_not_close_is_killed_and_what_fails_in_closing_costs_no_result() -> None:
    from loky.backend.context import get_context

    let_workers_be_killed()
    worker = get_context("loky").Process(target=time.sleep, args=(100,))
    worker.start()
    worker.kill()
    worker.join(20)
    worker.kill()
    assert worker.exitcode == -signal.SIGKILL

    class Unclosable:
        def close(self) -> None:
            raise AttributeError("'Popen' object has no attribute 'kill'")

    engine = DaskEngine(EngineOptions())
    engine._client, engine._cluster = Unclosable(), Unclosable()
    engine.close(abandon=False)
