"""Ratios of benchmarks: one file that every benchmark adds to, and a comparison that fails where one fell."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.compare import main
from benchmarks.ratios import Ratios, list_below, read_ratios

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


class Compared(NamedTuple):
    """What the comparison printed, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Compared]:
    def run(*words: str | Path) -> Compared:
        monkeypatch.setattr(sys, "argv", ["compare.py", *map(str, words)])
        try:
            code = main()
        except SystemExit as end:
            code = int(str(end.code))
        return Compared(code, *capsys.readouterr())

    return run


def test_a_ratio_that_fell_by_more_than_the_factor_fails(tmp_path: Path, compare: Callable[..., Compared]) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    for path, ratio in ((old, 9.0), (new, 4.0)):
        Ratios("rows", path).add("fast / slow", ratio)
        Ratios("others", path).add("steady", 1.0, 2.0, 30.0)
    assert read_ratios(old) == {"others": {"steady": 2.0}, "rows": {"fast / slow": 9.0}}
    fell = compare(old, new)
    assert fell.returncode == 1
    assert fell.stdout.splitlines() == [
        "others: steady: 2 -> 2",
        "rows: fast / slow: 9 -> 4, FELL",
        "1 failed (a ratio may fall by a factor of 2)",
    ]
    assert compare(old, new, "--factor", "2.25").returncode == 0
    assert compare(new, old).returncode == 0


def test_a_row_that_is_gone_fails_and_sizes_are_not_mixed(tmp_path: Path, compare: Callable[..., Compared]) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    Ratios("rows", old).add("one", 2.0)
    renamed = Ratios("rows", new)
    renamed.add("two", 2.0)
    assert "rows: one: is gone" in compare(old, new).stdout
    assert compare(old, new).returncode == 1
    with pytest.raises(ValueError, match="named twice"):
        renamed.add("two", 3.0)
    with pytest.raises(ValueError, match="ratio 0"):
        renamed.add("three", 0.0)
    quick = tmp_path / "quick.json"
    Ratios("rows", quick, quick=True).add("one", 2.0)
    assert "no benchmark in common" in compare(old, quick).stderr


def test_a_benchmark_fails_where_a_ratio_is_below_its_bound() -> None:
    """The whole of it in a process of its own, for what is below is kept for the end."""
    script = """
import sys
from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios
def main():
    rows = Ratios("rows", None, quick=True, least=3.0)
    rows.add("steady", 3.0, 3.5, 0.1)
    rows.add("one", float(sys.argv[1]))
    rows.add("two", 9.0, least=float(sys.argv[2]))
sys.exit(run_with_peak(main))
"""
    found = []
    for one, least in (("3", "9"), ("2.9", "9"), ("3", "10")):
        command = [sys.executable, "-c", script, one, least]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=BENCHMARKS.parent)
        found.append((done.returncode, done.stderr))
    assert found == [
        (0, ""),
        (1, "rows (quick), one: 2.9 is below its bound, 3\n"),
        (1, "rows (quick), two: 9 is below its bound, 10\n"),
    ]


def test_without_a_bound_of_its_own_a_row_is_as_fast_as_the_alternative() -> None:
    Ratios("of this test", None).add("slower", 0.9)
    assert list_below()[-1] == "of this test, slower: 0.9 is below its bound, 1"


@pytest.mark.parametrize(
    "content", ["", "[]", '{"ratios": {}}', '{"schema": "caregrid/benchmark-ratios/1", "ratios": {"a": {"b": "2"}}}']
)
def test_what_is_no_file_of_ratios_is_refused_in_a_line(
    tmp_path: Path, content: str, compare: Callable[..., Compared]
) -> None:
    (tmp_path / "bad.json").write_text(content)
    done = compare(tmp_path / "bad.json", tmp_path / "bad.json")
    assert done.returncode == 2
    assert "bad.json: " in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_benchmark_writes_its_ratios_and_keeps_those_of_others(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    Ratios("others", path).add("steady", 2.0)
    command = [sys.executable, str(BENCHMARKS / "regions.py"), "--quick", "--ratios", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    sections = json.loads(path.read_text())["ratios"]
    assert list(sections) == ["others", "regions (quick)"]
    assert sections["regions (quick)"]["2 coefficients, 30 states, fewer plans"] > 1


def test_every_benchmark_prints_its_peak_memory() -> None:
    scripts = {path.name: path.read_text(encoding="utf-8") for path in BENCHMARKS.glob("*.py")}
    silent = [name for name, text in scripts.items() if not text.endswith("    sys.exit(run_with_peak(main))\n")]
    assert sorted(silent) == ["compare.py", "peak_memory.py", "ratios.py"]


def test_every_benchmark_has_a_bound_or_compares_values() -> None:
    """Those that compare values exit with 1 where one differs."""
    scripts = {path.name: path.read_text(encoding="utf-8") for path in BENCHMARKS.glob("*.py")}
    without = {name for name, text in scripts.items() if not re.search(r"\b(ratios|kept|measured)\.add\(", text)}
    comparing = {"language_battery.py", "outside_environments.py"}
    assert without == {"compare.py", "peak_memory.py", "ratios.py", *comparing}
    assert all(re.search(r"return int\((different > 0|failed)\)", scripts[name]) for name in comparing)


REPEATED = """
from benchmarks.peak_memory import read_peak
from benchmarks.segments import SCENARIOS, Kernel, make_problem, replace, solve_trade_off, time_call
Kernel.handled = 1 << 62  # compiled from the beginning, as in the benchmark
problem = make_problem(SCENARIOS["mail_round"]())
time_call(lambda: solve_trade_off(replace(problem)), {runs})
print(read_peak())
"""


@pytest.mark.slow
def test_more_runs_of_a_benchmark_take_no_more_memory() -> None:
    peaks = {}
    for runs in (3, 150):
        command = [sys.executable, "-c", REPEATED.format(runs=runs)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=BENCHMARKS.parent)
        peaks[runs] = float(done.stdout)
    assert peaks[150] < peaks[3] + 10
