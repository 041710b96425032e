"""What is missing is said: every reader tells how many units were finished, how many are lost, and why."""

import json
import shutil
from pathlib import Path

import pytest

from caregrid import load
from caregrid.main import main
from experiments.catalogue import CATALOGUE
from experiments.runs.run_directory import RunDirectory
from experiments.runs.tally import count_units

COUNTING = "tests.experiments.workloads:counting"
UNITS = 36


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of 36 units in two sessions: 2 and 34."""
    for some in (["--quick"], []):
        words = ["run", COUNTING, *some, "--out", str(tmp_path / "run"), "--engine", "serial", "--quiet"]
        assert main(words) == 0
    return tmp_path / "run"


def _segments(run: Path) -> list[Path]:
    return sorted((run / "units").iterdir())


def _cut(path: Path, keep: int) -> None:
    """Keep the first lines of a segment, and a half of the next one."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: keep + 1]) + lines[keep + 1][: len(lines[keep + 1]) // 2])


def _read(run: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[int, str]]:
    """What each reader says, and its exit code."""
    capsys.readouterr()
    said = {}
    for reader, words in {
        "collect": ["collect", COUNTING, "--from", str(run), "--out", str(run.parent / "rows.csv")],
        "untrusted": ["collect", str(run), "--out", str(run.parent / "rows.csv")],
        "check": ["check", COUNTING, "--from", str(run)],
        "draw": ["draw", COUNTING, "--from", str(run), "--out", str(run.parent / "figure.png")],
        "report": ["report", str(run), "--out", str(run.parent / "report")],
    }.items():
        code = main(words)
        said[reader] = (code, capsys.readouterr().out)
    said["page"] = (said["report"][0], (run.parent / "report" / "report.md").read_text())
    return said


def test_a_whole_run_has_lost_nothing(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, out in _read(run, capsys).values():
        assert code == 0
        assert " lost: " not in out
    assert load(COUNTING, run).warnings() == []


def test_every_reader_says_that_a_file_was_cut(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = _segments(run)[1]
    _cut(cut, 19)
    expected = f"21 of {UNITS} finished units (15 lost: {cut.name} was cut)"
    for reader, (code, out) in _read(run, capsys).items():
        assert code == 1, reader
        assert expected.replace("_", "\\_") in out or expected in out, reader
    assert load(COUNTING, run).warnings() == [expected]
    assert main(["run", COUNTING, "--out", str(run), "--engine", "serial"]) == 0
    assert expected in capsys.readouterr().err, "the run that makes them again says so, too"
    assert all(code == 0 for code, _ in _read(run, capsys).values())


@pytest.mark.slow
def test_a_copy_without_a_file_or_without_its_records_says_so(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = run.with_name("copy")
    shutil.copytree(run, copy)
    missing = _segments(copy)[1]
    missing.unlink()
    for code, out in _read(copy, capsys).values():
        assert code == 1
        assert f"2 of {UNITS} finished units (34 lost: {missing.name} is missing)" in out
    shutil.rmtree(run / "logs")
    for code, out in _read(run, capsys).values():
        assert code == 1
        assert f"{UNITS} units, and nobody knows how many were finished (logs/ is missing)" in out
    for segment in _segments(copy):
        segment.unlink()
    assert main(["collect", COUNTING, "--from", str(copy)]) == 2
    assert f"0 of {UNITS} finished units ({UNITS} lost: " in capsys.readouterr().err


def test_damaged_lines_are_lost_units(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    segment = _segments(run)[1]
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b"own", b"OWN", 1)]))
    code, out = _read(run, capsys)["collect"]
    assert code == 1
    assert f"35 of {UNITS} finished units (1 lost: 1 damaged in {segment.name})" in out


def test_of_a_killed_session_the_log_tells(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = sorted((run / "logs").glob("*.json"))[-1]
    record = json.loads(last.read_text())
    killed = {name: record[name] for name in record if name not in ("finished", "done")} | {"stored": 2}
    last.write_text(json.dumps(killed))
    assert _read(run, capsys)["collect"][0] == 0
    cut = _segments(run)[1]
    _cut(cut, 30)
    code, out = _read(run, capsys)["collect"]
    assert (code, f"32 of {UNITS} finished units (4 lost: {cut.name} was cut)" in out) == (1, True)


def test_what_was_asked_for_and_never_finished_is_not_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sessions = [{"units": 100, "stored": 0, "done": 60, "finished": "then", "segment": "a"}]
    tally = count_units({"a": (60, 0, 0)}, 60, sessions, {}, tmp_path)
    assert (tally.lost, tally.warning, str(tally)) == (0, "", "60 of 100 units")


@pytest.mark.slow
def test_after_a_compaction_its_own_file_is_held_to_its_number(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compact", str(run)]) == 0
    [segment] = _segments(run)
    assert all(code == 0 for code, _ in _read(run, capsys).values())
    _cut(segment, 10)
    code, out = _read(run, capsys)["collect"]
    assert (code, f"10 of {UNITS} finished units (26 lost: {segment.name} was cut)" in out) == (1, True)


@pytest.mark.slow
def test_a_run_that_is_made_again_or_shared_loses_nothing(run: Path) -> None:
    for words in (["--force"], ["--quick", "--force"], ["--set", "care=9"]):
        assert main(["run", COUNTING, *words, "--out", str(run), "--engine", "serial", "--quiet"]) == 0
    tally = RunDirectory(run, CATALOGUE[COUNTING]).tally()
    assert (tally.stored, tally.lost, tally.warning) == (UNITS + 3, 0, "")


@pytest.mark.slow
def test_every_cut_of_every_file_is_said(run: Path) -> None:
    """Wherever a segment is cut off, and whichever is gone: exactly the units behind the cut are lost."""
    for segment in _segments(run):
        content = segment.read_bytes()
        for size in range(0, len(content), max(1, len(content) // 40)):
            segment.write_bytes(content[:size])
            store = RunDirectory(run, CATALOGUE[COUNTING])
            tally = store.tally()
            assert tally.stored + tally.lost == UNITS
            assert tally.stored == len(list(store.read_finished()))
            assert bool(tally.warning) == (tally.stored < UNITS)
        segment.write_bytes(content)
