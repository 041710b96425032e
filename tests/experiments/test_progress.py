"""Progress as bars, lines or nothing, and chunks whose length is learned."""

import io
import itertools
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from experiments.experiment import TURNS, UnitLength, find_unit_length
from experiments.runs import progress
from experiments.runs.dispatch import ATTEMPTS, Chunks
from experiments.runs.progress import Lines, LongestUnit, ProgressBars, Silent, choose_progress
from experiments.runs.unit import UnitTask
from tests.experiments.processes import ROOT


class _Clock:
    """A monotonic clock that moves when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_every_few_seconds_with_rate_time_left_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, stream = _Clock(), io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", clock)
    lines = Lines(stream)
    lines.start("papers/x", 100)
    for second in range(11):
        clock.now = float(second)
        lines.update(10 + 2 * second, failed=1, longest=LongestUnit('{"n":3}', -2.0 if second == 10 else 0.0))
    lines.stop()
    assert stream.getvalue() == (
        "papers/x: 20 of 100 units, 2 per second, 40 s left, 1 failed\n"
        'papers/x: 30 of 100 units, 2 per second, 35 s left, 1 failed, longest: {"n":3} for 12 s\n'
    )


def test_lines_say_turns_a_second_where_units_are_of_one_length(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, stream = _Clock(), io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", clock)
    lines, lengths = Lines(stream), {"turns": TURNS._replace(runs=2)}
    lines.start("papers/x", 100, find_unit_length(lengths, {"turns": (2_000,), "seed": (1, 2)}))
    lines.update(10, failed=0)
    clock.now = 6.0
    lines.update(13, failed=0)
    assert (
        stream.getvalue()
        == "papers/x: 13 of 100 units, 0.5 per second (2,000 turns per second), 174 s left, 0 failed\n"
    )
    assert find_unit_length(lengths, {"turns": (1, 2)}) == find_unit_length({}, {"turns": (5,)}) == UnitLength()


def test_the_stream_decides_the_kind() -> None:
    stream = io.StringIO()
    assert isinstance(choose_progress(stream, quiet=True), Silent)
    assert isinstance(choose_progress(stream, quiet=False), Lines)


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    silent = Silent()
    silent.start("x", 3)
    silent.update(1, 0, LongestUnit("unit", 0.0))
    silent.note("something")
    silent.stop()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_bars_with_failures_above_them(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    script = "import sys; from caregrid.main import main; sys.exit(main())"
    words = ["run", "tests.experiments.workloads:deadly", "--engine", "serial", "--set", "n=0,1,2,5", "--out"]
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, *words, str(tmp_path / "out")],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(follower)
        shown = b"".join(_read(leader))
        process.wait()
    os.close(leader)
    text = shown.decode()
    assert "ZeroDivisionError: five" in text
    assert "3/4" in text
    assert "1 failed" in text
    assert "/s" in text


def _read(handle: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(handle, 4096)
        except OSError:
            return
        if not piece:
            return
        yield piece


def test_bars_show_nothing_before_they_start() -> None:
    bars = ProgressBars(io.StringIO())
    bars.update(1, 0)
    bars.note("unseen")
    bars.stop()


def _tasks(count: int) -> Callable[[int], list[UnitTask]]:
    tasks = (UnitTask({"n": n}, n) for n in range(count))
    return lambda most: list(itertools.islice(tasks, most))


def test_chunks_grow_to_the_target_and_never_past_an_even_share() -> None:
    chunks = Chunks(_tasks(100_000), 100_000, target=2.0)
    lengths = []
    for _ in range(8):
        chunk = chunks.next(capacity=2, idle=True)
        assert chunk is not None
        lengths.append(len(chunk.tasks))
        chunks.learn(len(chunk.tasks), 0.01 * len(chunk.tasks))
    assert lengths[0] == 1
    assert lengths == sorted(lengths)
    assert lengths[-1] == 200
    few = Chunks(_tasks(8), 8, target=2.0)
    few.learn(1, 0.0)
    assert len(few.next(capacity=2, idle=True).tasks) == 2  # type: ignore[union-attr]


def test_without_a_target_units_go_one_by_one() -> None:
    chunks = Chunks(_tasks(3), 3, target=0.0)
    chunks.learn(1, 1e-9)
    assert [len(chunk.tasks) for chunk in iter(lambda: chunks.next(1, idle=True), None)] == [1, 1, 1]


def test_units_of_a_lost_chunk_come_back_alone_and_the_last_attempt_waits_for_quiet() -> None:
    chunks = Chunks(_tasks(2), 4, target=0.0)
    first = chunks.next(1, idle=True)
    assert first is not None
    chunks.retry(first._replace(tasks=(*first.tasks, UnitTask({"n": 9}, 9))))
    fresh = chunks.next(1, idle=False)
    assert fresh is not None
    assert fresh.tasks[0].setting == {"n": 1}, "units never tried come first"
    retried = [chunks.next(1, idle=False), chunks.next(1, idle=False)]
    assert [chunk.tasks[0].setting for chunk in retried if chunk] == [{"n": 0}, {"n": 9}]
    assert all(chunk.attempts == 2 and not chunk.last for chunk in retried if chunk)
    assert retried[0] is not None
    chunks.retry(retried[0])
    assert chunks.next(1, idle=False) is None
    last = chunks.next(1, idle=True)
    assert last is not None
    assert last.attempts == ATTEMPTS
    assert last.last
