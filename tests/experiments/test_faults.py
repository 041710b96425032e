"""Faults, real ones: killed, interrupted, starved of disk, locked out, damaged, doubled, and given a mad clock."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.randomness.counter_based import randrange, uniform
from experiments.runs.run_directory import MANIFEST, read_manifest
from tests.experiments.processes import WORKLOADS, descendants, finish, finish_run, start_run, stored_lines, workers_of

LOCAL = ("--engine", "local", "--workers", "2")
SERIAL = ("--engine", "serial")
KILLS = 8
KEY = 8


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The rows of each workload, from a run that nobody disturbed."""
    rows = {}
    for name in ("counting", "slow_units", "large"):
        folder = tmp_path_factory.mktemp("undisturbed") / name
        done = finish_run(name, folder, *SERIAL)
        assert done.returncode == 0, done.stderr
        rows[name] = (folder / "rows.csv").read_bytes()
    return rows


def _stored(folder: Path) -> set[bytes]:
    return set(stored_lines(folder))


def _states(folder: Path) -> dict[str, tuple[int, ...]]:
    """Kind, size and time of everything below a folder."""
    found = {str(path.relative_to(folder)): path.lstat() for path in sorted(folder.rglob("*"))}
    return {name: (state.st_mode, state.st_size, state.st_mtime_ns) for name, state in found.items()}


def _wait_for_units(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 30
    while len(_stored(folder)) < number:
        assert time.monotonic() < deadline, "nothing is being stored"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="semaphores are files on Linux")
@pytest.mark.parametrize("everything", [False, True], ids=["the_run", "everything"])
def test_a_killed_run_leaves_no_semaphores_for_long(everything: bool, tmp_path: Path) -> None:
    with start_run("patient_units", tmp_path, *LOCAL) as process:
        _wait_for_units(tmp_path, 4)
        left = f"sem.loky-{process.pid}-*"
        assert list(Path("/dev/shm").glob(left))
        for pid in [process.pid, *(descendants(process.pid) if everything else ())]:
            os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=30)
    if everything:
        assert finish_run("patient_units", tmp_path, *LOCAL).returncode == 0
    deadline = time.monotonic() + 30
    while list(Path("/dev/shm").glob(left)):
        assert time.monotonic() < deadline, "semaphores are left"
        time.sleep(0.1)


@pytest.mark.slow
def test_killed_many_times_at_random_moments_the_rows_are_the_same(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    kills = {"run": 0, "worker": 0}
    round_ = 0
    while sum(kills.values()) < KILLS:
        folder = tmp_path / str(round_)
        round_ += 1
        code = None
        while code != 0:
            with start_run("slow_units", folder, *LOCAL) as process:
                number = sum(kills.values())
                victim = "worker" if randrange(2, KEY, number) and kills["worker"] < KILLS / 2 else "run"
                while victim == "worker" and not workers_of(process.pid) and process.poll() is None:
                    time.sleep(0.01)  # on a loaded machine a run may take seconds to start its workers
                time.sleep(1.4 * uniform(KEY, round_, number))
                workers = workers_of(process.pid) if victim == "worker" else [process.pid]
                if workers and process.poll() is None and number < KILLS:
                    os.kill(workers[randrange(len(workers), KEY, round_, number)], signal.SIGKILL)
                    kills[victim] += 1
                _, err = process.communicate(timeout=60)
                code = process.returncode
            assert code in (0, -signal.SIGKILL), err
        assert (folder / "rows.csv").read_bytes() == undisturbed["slow_units"]
    assert sum(kills.values()) == KILLS
    assert min(kills.values()) > 2


@pytest.mark.slow
def test_a_killed_run_leaves_no_workers_behind(tmp_path: Path) -> None:
    with start_run("endless", tmp_path, *LOCAL) as process:
        deadline = time.monotonic() + 30
        while not (workers := workers_of(process.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(1)
        process.kill()
        process.wait()
        while any(psutil.pid_exists(pid) for pid in workers):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.communicate()


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_unit_that_kills_its_worker_is_tried_three_times_and_the_others_go_on(engine: str, tmp_path: Path) -> None:
    done = finish_run("deadly", tmp_path, "--engine", engine, "--workers", "2")
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "rows.csv").read_text() == "n,square\n0,0\n1,1\n2,4\n4,16\n8,64\n9,81\n"
    [log] = (tmp_path / "logs").glob("*.log")
    text = log.read_text()
    deaths = text.count("a worker died")
    assert deaths == 3 or (engine == "dask" and deaths > 3), "on dask an innocent chunk may have shared a worker"
    assert 'failed: {"n":3}: its worker died 3 times' in text
    assert 'failed: {"n":5}: ZeroDivisionError: five' in text
    assert "Traceback" in text
    assert 'failed: {"n":6}: six: six is bad; take seven' in text
    assert 'failed: {"n":7}: run returned dict; return a list of flat dicts' in text
    assert "6 of 10 units are stored" in done.stdout
    assert str(log) in done.stdout


@pytest.mark.slow
def test_a_dask_worker_killed_halfway_costs_nothing(tmp_path: Path) -> None:
    with start_run("patient_units", tmp_path, "--engine", "dask", "--workers", "2") as process:
        _wait_for_units(tmp_path, 4)
        time.sleep(0.3)  # by now both are in the middle of a chunk of almost a second
        workers = workers_of(process.pid)
        assert len(workers) == 2, descendants(process.pid)
        os.kill(workers[0], signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert (tmp_path / "rows.csv").read_text() == "n,square\n" + "".join(f"{n},{n * n}\n" for n in range(40))
    [log] = (tmp_path / "logs").glob("*.log")
    assert "a worker died at attempt 1" in log.read_text()


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("engine", ["serial", "local"])
def test_ctrl_c_says_what_is_done_and_the_same_command_goes_on(
    engine: str, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    with start_run("slow_units", tmp_path, "--engine", engine) as process:
        _wait_for_units(tmp_path, 10)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
        out, err = process.communicate(timeout=60)
    stored = len(_stored(tmp_path))
    assert process.returncode == 130
    assert 10 <= stored < 120
    assert f"stopped by SIGINT: {stored} of 120 units are stored in {tmp_path}" in err
    assert "the same command goes on" in err
    assert "Traceback" not in out + err
    again = finish_run("slow_units", tmp_path, *SERIAL)
    assert f"120 of 120 units are stored in {tmp_path} ({120 - stored} now, {stored} before)" in again.stdout
    assert (tmp_path / "rows.csv").read_bytes() == undisturbed["slow_units"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_on_ctrl_c_workers_finish_what_they_run(engine: str, tmp_path: Path) -> None:
    with start_run("patient_units", tmp_path, "--engine", engine, "--workers", "2") as process:
        _wait_for_units(tmp_path, 4)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert "failed" not in err
    assert f"{len(_stored(tmp_path))} of 40 units are stored" in err
    [log] = (tmp_path / "logs").glob("*.log")
    assert "a worker died" not in log.read_text()
    assert "KeyboardInterrupt" not in log.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "number"), [("serial", signal.SIGINT), ("local", signal.SIGTERM)])
def test_asked_twice_a_run_abandons_what_it_waits_for(engine: str, number: signal.Signals, tmp_path: Path) -> None:
    with start_run("endless", tmp_path, "--engine", engine) as process:
        while not (tmp_path / "logs").is_dir():
            time.sleep(0.05)
        time.sleep(1.5)
        process.send_signal(number)
        time.sleep(0.3)
        process.send_signal(number)
        asked = time.monotonic()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert time.monotonic() - asked < 30, "it waited for units of a minute"
    assert f"stopped by {number.name}: 0 of 4 units" in err
    assert not descendants(process.pid)


FULL_DISK = """
import errno, os, sys
genuine, left = os.fsync, [{units} + 4]  # manifest, segment, its folder and the session's record come first
def fsync(handle):
    left[0] -= 1
    if left[0] < 0:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    genuine(handle)
os.fsync = fsync
from caregrid.main import main
sys.exit(main())
"""
SMALL_FILES = """
import resource, sys
from caregrid.main import main
import caregrid.operations.experiments, caregrid.runs.experiment, experiments.runs.runner, experiments.results
resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))
sys.exit(main())
"""


def test_a_disk_that_fills_up_stops_the_run_in_one_line_and_loses_nothing(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    done = finish_run("large", tmp_path, *SERIAL, script=FULL_DISK.format(units=17))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write: no space left on device; 17 of 40 units are stored" in done.stderr
    assert "make room or give permission, then the same command goes on" in done.stderr
    assert len(_stored(tmp_path)) == 17
    assert finish_run("large", tmp_path, *SERIAL).returncode == 0
    assert (tmp_path / "rows.csv").read_bytes() == undisturbed["large"]


def test_a_quota_of_the_kernel_stops_the_run_in_one_line(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    assert finish_run("large", tmp_path, *SERIAL, "--set", "n=0,1,2").returncode == 0
    done = finish_run("large", tmp_path, *SERIAL, script=SMALL_FILES)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write: file too large" in done.stderr
    assert len(_stored(tmp_path)) == 3
    assert finish_run("large", tmp_path, *SERIAL).returncode == 0
    assert (tmp_path / "rows.csv").read_bytes() == undisturbed["large"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 kilobytes, where the kernel lets us mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small disk here; the two tests above fill one by other means")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.slow
def test_a_small_disk_that_is_really_full(small_disk: Path, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    folder = small_disk / "run"
    done = finish_run("large", folder, *LOCAL)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write: no space left on device" in done.stderr
    stored = len(_stored(folder))
    assert 0 < stored < 40
    assert f"{stored} of 40 units are stored" in done.stderr
    subprocess.run(["mount", "-o", "remount,size=10m", str(small_disk)], check=True)
    again = finish_run("large", folder, *LOCAL)
    assert f"{stored} before" in again.stdout
    assert (folder / "rows.csv").read_bytes() == undisturbed["large"]


NO_ROOT = """
import sys
from tests.experiments.processes import obey_permissions
from caregrid.main import main
obey_permissions()
sys.exit(main())
"""


def test_a_read_only_directory_is_refused_in_one_line(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    done = finish_run("counting", locked / "run", *SERIAL, script=NO_ROOT)
    assert done.returncode == 2
    assert done.stderr.startswith(f"caregrid: {locked / 'run'}: cannot write: permission denied; choose another place")
    assert done.stderr.count("\n") == 1
    assert not list(locked.iterdir())
    file = tmp_path / "file"
    file.write_text("precious")
    done = finish_run("counting", file / "run", *SERIAL)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert file.read_text() == "precious"


@pytest.mark.slow
def test_a_permission_lost_midway_loses_nothing(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    with start_run("slow_units", tmp_path, *SERIAL, script=NO_ROOT) as process:
        _wait_for_units(tmp_path, 10)
        (tmp_path / "claims").chmod(0o555)
        _, err = process.communicate(timeout=60)
    (tmp_path / "claims").chmod(0o755)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert "cannot write: permission denied" in err
    assert f"{len(_stored(tmp_path))} of 120 units are stored" in err
    assert finish_run("slow_units", tmp_path, *SERIAL).returncode == 0
    assert (tmp_path / "rows.csv").read_bytes() == undisturbed["slow_units"]


@pytest.mark.slow
def test_two_runs_in_one_directory_at_once(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    with start_run("slow_units", tmp_path, *LOCAL) as one, start_run("slow_units", tmp_path, *SERIAL) as two:
        for process in (one, two):
            _, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
    assert (tmp_path / "rows.csv").read_bytes() == undisturbed["slow_units"]
    assert len(_stored(tmp_path)) == 120
    assert len(stored_lines(tmp_path)) < 124, "no unit is computed twice, but for those of the last moment"


def test_a_run_that_begins_while_the_directory_is_looked_at_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing, early = Path.is_dir, []

    def is_dir(self: Path) -> bool:
        if not early:  # the manifest was not there when the reader came
            early.append(self)
            (tmp_path / MANIFEST).write_text('{"caregrid_run": 2}')
        return listing(self)

    monkeypatch.setattr(Path, "is_dir", is_dir)
    assert read_manifest(tmp_path) == {"caregrid_run": 2}
    assert early == [tmp_path]


def test_what_is_damaged_or_foreign_is_passed_over_and_computed_anew(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    run, other = tmp_path / "run", tmp_path / "other"
    assert finish_run("counting", run, *SERIAL).returncode == 0
    assert finish_run("counting", other, *SERIAL, "--seed", "1").returncode == 0
    [segment] = (run / "units").iterdir()
    [foreign] = (other / "units").iterdir()
    first, *lines = segment.read_bytes().splitlines(keepends=True)
    flipped = bytearray(lines[1])
    flipped[len(flipped) // 2] ^= 4
    lines[0], lines[1], lines[2] = lines[0][: len(lines[0]) // 2] + b"\n", bytes(flipped), b"\n"
    lines[3] = foreign.read_bytes().splitlines(keepends=True)[4]
    damaged = first + b"".join(lines) + lines[-1][:40]  # the last one cut off by a kill
    segment.write_bytes(damaged)
    shutil.copy(foreign, segment.with_name("000000-elsewhere-1.jsonl"))
    (segment.parent / "notes.txt").write_text("precious")
    (segment.parent / "folder").mkdir()
    os.mkfifo(segment.parent / "pipe.jsonl")
    (segment.parent / "zeros.jsonl").symlink_to("/dev/zero")
    for name in ("sparse.json", "sparse.jsonl"):
        with (segment.parent / name).open("wb") as stream:
            stream.truncate(3 << 30)
    before = _states(segment.parent)
    collected = finish("collect", f"{WORKLOADS}:counting", "--from", str(run), "--out", str(tmp_path / "rows.csv"))
    assert collected.returncode == 1, collected.stderr
    for problem in (
        "notes.txt is not a file of units",
        "folder is not a file of units",
        "pipe.jsonl is not a file of units",
        "sparse.jsonl is not a file of units",
        "zeros.jsonl is not a file of units",
        "sparse.json is not a file of units",
        f"4 damaged lines in {segment.name}",
        "36 units of seed 1, not of seed 0, in 000000-elsewhere-1.jsonl",
    ):
        assert f"passed over: {problem}\n" in collected.stdout
    assert f"64 rows of 32 of 36 finished units (4 lost: 4 damaged in {segment.name})" in collected.stdout
    assert _states(segment.parent) == before
    done = finish_run("counting", run, *SERIAL)
    assert done.returncode == 0, done.stderr
    assert "(4 now, 32 before)" in done.stdout
    assert (run / "rows.csv").read_bytes() == undisturbed["counting"]
    assert segment.read_bytes() == damaged
    assert (segment.parent / "notes.txt").read_text() == "precious"


def test_a_damaged_manifest_is_written_anew_and_never_lets_another_experiment_in(tmp_path: Path) -> None:
    assert finish_run("counting", tmp_path, *SERIAL, "--quick").returncode == 0
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:40])
    stranger = finish_run("large", tmp_path, *SERIAL)
    assert stranger.returncode == 2
    assert "holds results of experiment tests.experiments.workloads:counting" in stranger.stderr
    assert finish_run("counting", tmp_path, *SERIAL).returncode == 0
    assert b'"caregrid_run"' in manifest.read_bytes()


MAD_CLOCK = """
import itertools, sys, time
jumps = itertools.cycle((0, -10**9, 10**9, -86400, 3600))
genuine = time.time
time.time = lambda: genuine() + next(jumps)
import datetime
class Mad(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().fromtimestamp(time.time(), tz)
datetime.datetime = Mad
from caregrid.main import main
sys.exit(main())
"""


@pytest.mark.slow
def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    first = finish_run("slow_units", tmp_path, *LOCAL, "--set", "n=0:60", script=MAD_CLOCK)
    assert first.returncode == 0, first.stderr
    for number, file in enumerate(sorted(path for path in tmp_path.rglob("*") if path.is_file())):
        moment = 0 if number % 2 else 4_102_444_800
        os.utime(file, (moment, moment))
    second = finish_run("slow_units", tmp_path, *LOCAL, script=MAD_CLOCK)
    assert "(60 now, 60 before)" in second.stdout
    assert (tmp_path / "rows.csv").read_bytes() == undisturbed["slow_units"]
