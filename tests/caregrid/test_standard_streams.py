"""Standard streams that are full or closed: one line, exit code 2, and nothing is printed into a file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRINTING = ("list", "list --json", "show itc", "--version", "--help", "solve --help", "terminal car-factory")
FULL = "/dev/full"


def shell(line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of the shell in which `caregrid` is this repository's command."""
    script = f'caregrid() {{ "{sys.executable}" -m caregrid "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("command", PRINTING)
@pytest.mark.parametrize("where", [f">{FULL}", ">&-"])
def test_results_that_cannot_be_printed_are_one_line_and_exit_2(command: str, where: str) -> None:
    if FULL in where and not Path(FULL).exists():
        pytest.skip("this system has no full device")
    done = shell(f"caregrid {command} {where}")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "standard output" in done.stderr


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("where", [f"2>{FULL}", "2>&-", "<&- 2>&-"])
@pytest.mark.parametrize(("command", "code"), [("list", 0), ("solve nonesuch", 2), ("solve --care x", 2)])
def test_complaints_that_cannot_be_printed_leave_the_exit_code(command: str, code: int, where: str) -> None:
    if FULL in where and not Path(FULL).exists():
        pytest.skip("this system has no full device")
    done = shell(f"caregrid {command} {where}")
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    done = shell("set -o pipefail; caregrid list --json | head -c 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "{", "")


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    done = shell(f"caregrid solve workshop --json <&- >&- 2>{tmp_path / 'said'}; echo $?; ls {tmp_path}")
    assert done.stdout.split() == ["2", "said"]
    assert len((tmp_path / "said").read_text().splitlines()) == 1


def test_letters_that_the_stream_does_not_know_are_escaped() -> None:
    done = shell("caregrid show multislot/futures/nonesuch; caregrid list", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
