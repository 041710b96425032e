"""`caregrid.compare_bench`: the leaderboard of several runs of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.bench import BenchResult
from caregrid.api.checked import checked
from caregrid.api.results.result import Result, Writer
from engine.errors import BadValue

if TYPE_CHECKING:
    from experiments.bench.leaderboard import Standing

GivenRun = str | Path | BenchResult


@dataclass(frozen=True, repr=False, eq=False)
class BenchComparison(Result):
    """The methods of several runs in order. runs: name -> the content of a file. standings: suite by suite."""

    runs: Mapping[str, Mapping[str, Any]]
    standings: Sequence[Standing]

    @property
    def title(self) -> str:
        """How many runs."""
        return f"leaderboard of {', '.join(self.runs)}"

    def rows(self) -> list[dict[str, Any]]:
        """A row a suite and method: rank, the runs that agree on it, means over worlds with their intervals."""
        return [standing.row() for standing in self.standings]

    def failures(self) -> list[dict[str, Any]]:
        """A row a suite and method: its worst world, what it reaches there, and what can be reached."""
        from experiments.bench.failures import failures

        entries = [standing.entry for standing in self.standings]
        suites = dict.fromkeys(entry.suite for entry in entries)
        grouped = ([entry for entry in entries if entry.suite == suite] for suite in suites)
        return [failure.row() for group in grouped for failure in failures(group)]

    def as_dict(self) -> dict[str, Any]:
        """{"runs", "standings", "failures"}."""
        from experiments.bench.leaderboard_page import run_rows

        return {"runs": run_rows(self.runs), "standings": self.rows(), "failures": self.failures()}

    def text(self) -> str:
        """For each suite the methods in order: area, violations and own return with intervals."""
        from experiments.tables import aligned_lines

        lines: list[str] = []
        for suite in dict.fromkeys(standing.entry.suite for standing in self.standings):
            rows = [row for row in self.rows() if row["suite"] == suite]
            head = ("rank", "method", "runs", "area", "violations", "own", "worlds")
            cells = [
                (
                    str(row["rank"]),
                    row["method"],
                    row["runs"],
                    *(_estimate(row, name) for name in head[3:6]),
                    str(row["worlds"]),
                )
                for row in rows
            ]
            lines += [*([""] if lines else []), suite, *aligned_lines([head, *cells], indent=2)]
        return "\n".join(lines)

    def writers(self) -> dict[str, Writer]:
        """As every result; .html is the page."""
        from engine.files import write_atomically
        from experiments.bench.leaderboard_page import leaderboard_page

        def as_page(path: Path) -> None:
            write_atomically(path, leaderboard_page(self.runs, self.standings))

        return super().writers() | {"html": as_page}


@checked
def compare_bench(*runs: GivenRun) -> BenchComparison:
    """The leaderboard of runs of the benchmark: methods in order, suite by suite, and what each gets most wrong.

    runs: files that `caregrid bench` wrote, or their directories, or results of `caregrid.bench`. Each is called after
    its directory; a method that several runs agree on is listed once. `.save("page.html")` writes the page. BadFile for
    what is no such file, BadValue for no runs.
    """
    from experiments.bench.bench_file import FILE, read_bench
    from experiments.bench.leaderboard import leaderboard

    if not runs:
        raise BadValue(
            "no runs", place="compare_bench", remedy="give the files of 'caregrid bench', or their directories"
        )
    named: dict[str, Mapping[str, Any]] = {}
    for number, run in enumerate(runs, start=1):
        if isinstance(run, BenchResult):
            place, content = run.path, run.content
        elif isinstance(run, str | Path):
            content = read_bench(run)
            place = Path(run) / FILE if Path(run).is_dir() else Path(run)
        else:
            remedy = "give a path, or a result of caregrid.bench"
            raise BadValue(f"a run of type {type(run).__name__}", place="compare_bench", remedy=remedy)
        name = f"run {number}" if place is None else _name(place)
        while name in named:
            name = f"{name} ({number})"
        named[name] = content
    return BenchComparison(named, leaderboard(named))


def _name(path: Path) -> str:
    """A run's name: its directory's where the file is bench.json, else the file's."""
    from experiments.bench.bench_file import FILE

    named = path.resolve()
    return named.parent.name if named.name == FILE else named.stem


def _estimate(row: Mapping[str, Any], measure: str) -> str:
    mean, low, high = (row[name] for name in (measure, f"{measure}_low", f"{measure}_high"))
    if mean is None:
        return "-"
    return f"{mean:.3f}" if low is None else f"{mean:.3f} [{low:.3f}, {high:.3f}]"
