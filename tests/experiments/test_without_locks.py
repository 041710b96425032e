"""Sessions that cannot see each other's locks: on other machines, of one name even, and on file systems without any."""

import errno
import fcntl
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BadFile
from experiments.runs import compaction, segments
from experiments.runs.compaction import compact
from experiments.runs.dispatch import Claims
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from tests.experiments.processes import PLAIN, finish_run, start_run, stored_lines
from tests.experiments.workloads import counting

GONE = "000007-far_away.00000000-7.jsonl"


def refuse_lock(handle: int, operation: int) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


LOCKLESS = f"""
import errno, fcntl
def refuse(handle, operation):
    raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = refuse
{PLAIN}
"""


@pytest.fixture
def lockless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks, and little patience."""
    monkeypatch.setattr(fcntl, "flock", refuse_lock)
    monkeypatch.setattr(segments, "SECONDS_WITHOUT_SIGN", 3.0)


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_a_paused_session_loses_nothing_to_a_compaction_elsewhere(tmp_path: Path, lockless: None) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    with start_run("slow_units", out, "--engine", "serial", script=LOCKLESS) as run:
        wait_until(lambda: len(stored_lines(out)) > 10)
        with pytest.raises(BadFile, match="a run is writing into it"):
            compact(out)
        os.kill(run.pid, signal.SIGSTOP)
        try:
            before = len(stored_lines(out))
            second = finish_run("slow_units", out, "--engine", "serial", "--set", "n=118,119", script=LOCKLESS)
            done = compact(out)
        finally:
            os.kill(run.pid, signal.SIGCONT)
        said, err = run.communicate(timeout=100)
    assert (done.units, done.now) == (before + 2, 1)
    assert (run.returncode, err) == (0, "")
    assert "120 of 120 units are stored" in said
    assert (second.returncode, finish_run("slow_units", whole).returncode) == (0, 0)
    assert (out / "rows.csv").read_bytes() == (whole / "rows.csv").read_bytes()
    assert not (out / "claims").exists()


@pytest.mark.slow
def test_without_locks_a_living_session_keeps_its_claims(tmp_path: Path, lockless: None) -> None:
    store, other = RunDirectory(tmp_path, counting), RunDirectory(tmp_path, counting)
    store.prepare({})
    other.prepare({})
    assert store.segment is not None
    assert other.segment is not None
    assert Claims(store.claims, store.units, store.segment.name).take("a")
    theirs = Claims(other.claims, other.units, other.segment.name)
    deadline = time.monotonic() + segments.SECONDS_WITHOUT_SIGN + 1
    while time.monotonic() < deadline:
        assert not theirs.take("a")
        time.sleep(0.2)
    store.close()
    assert theirs.take("a"), "its segment, in which nothing was stored, is gone"
    other.close()


def test_a_machine_of_our_name_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "boot_id").write_text("5f0c1a5e-another-kernel\n")
    ours = segments.name_this_machine()
    with monkeypatch.context() as there:
        there.setattr(segments, "START_OF_KERNEL", tmp_path / "boot_id")
        segments.name_this_machine.cache_clear()
        theirs = segments.name_this_machine()
        store = RunDirectory(tmp_path / "out", counting)
        store.prepare({})
    segments.name_this_machine.cache_clear()
    assert ours != theirs
    assert ours.rpartition(".")[0] == theirs.rpartition(".")[0]
    assert store.segment is not None
    name = store.segment.name
    assert segments.parse_machine(name) == theirs
    os.close(store.segment._handle)  # its lock is nothing to us, and its file lives on
    store.segment._handle = os.open(store.segment.path, os.O_RDWR)
    signs = segments.SignsOfLife(store.units)
    wait_until(lambda: signs.look(name) is True)
    store.close()


def test_what_dead_sessions_have_left_is_tidied(tmp_path: Path) -> None:
    settings = {"care": (0.0, 1.0), "seed": (0,)}
    run_experiment(counting, tmp_path, settings)
    [segment] = (tmp_path / "units").iterdir()
    claims = tmp_path / "claims"

    def leave() -> None:
        claims.mkdir(exist_ok=True)
        (claims / "block").write_text(segment.name)
        (claims / f".block.{segment.name}").write_text(segment.name)
        (claims / "far").write_text(GONE)

    leave()
    assert run_experiment(counting, tmp_path, settings).done == 0
    assert not claims.exists()
    leave()
    assert run_experiment(counting, tmp_path).done == 34
    assert not claims.exists()
    leave()
    assert compact(tmp_path).units == 36
    assert not claims.exists()


def test_a_claim_of_a_finished_block_is_tidied_whoever_left_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of another machine that may be alive."""
    settings = {"care": (0.0,), "seed": (0, 1)}
    kept: list[str] = []

    def forget(claims: Claims, block: str) -> None:
        kept.append(block)
        (claims._folder / block).write_text(GONE)
        claims._held.discard(block)

    monkeypatch.setattr(Claims, "release", forget)
    run_experiment(counting, tmp_path, settings)
    assert len(kept) == 2
    assert not (tmp_path / "claims").exists()


def test_what_is_stored_while_files_are_merged_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_experiment(counting, tmp_path, {"care": (0.0,), "seed": (0,)})
    run_experiment(counting, tmp_path, {"care": (0.25,), "seed": (0,)})
    first, second = sorted((tmp_path / "units").iterdir())
    late = second.read_bytes().splitlines(keepends=True)[1]
    read_back = compaction._read_back

    def append(*given: object) -> None:
        read_back(*given)  # type: ignore[arg-type]
        with first.open("ab") as stream:
            stream.write(late)

    monkeypatch.setattr(compaction, "_read_back", append)
    assert compact(tmp_path).now == 2
    assert first.exists()
    assert not second.exists()
    assert [path.name for path in (tmp_path / "units").glob(".*")] == []


@pytest.mark.parametrize("when", ["write", "look"])
def test_a_file_that_another_machine_has_removed_is_begun_anew(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the content of a removed file cannot be read any more, as over a network."""
    store = RunDirectory(tmp_path, counting)
    store.prepare({})
    assert store.segment is not None
    store.save([({"care": 0.0, "seed": 0}, [{"own": 1.0}])])
    handle, path = store.segment._handle, store.segment.path
    path.unlink()

    def stale(function: Callable[..., object]) -> Callable[..., object]:
        def call(file: object, *arguments: object) -> object:
            if file == handle:
                raise OSError(errno.ESTALE, "Stale file handle")
            return function(file, *arguments)

        return call

    with monkeypatch.context() as patched:
        for name in ("write", "pread", "fstat") if when == "write" else ("pread",):
            patched.setattr(os, name, stale(getattr(os, name)))
        store.save([({"care": 0.25, "seed": 0}, [{"own": 2.0}])])
    store.save([({"care": 0.5, "seed": 0}, [{"own": 3.0}])])
    store.close()
    assert [unit.rows[0]["own"] for unit in RunDirectory(tmp_path, counting).read_finished()] == [2.0, 3.0]
