"""Collect all stored rows of a run into one tidy file, CSV or Parquet.

TARGET is what 'caregrid run' took, or a run directory. Damaged units are skipped and named; 'caregrid run'
computes them again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.arguments.stored import StoredArguments
from caregrid.command_line.terminal_width import print_text

if TYPE_CHECKING:
    from caregrid.runs.experiment import ExperimentResult

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class CollectArguments(StoredArguments, JsonArgument):
    """The results to collect."""

    out: str | None = option(None, "FILE.csv or FILE.parquet (default rows.csv in the run directory)", metavar="FILE")


def run(arguments: CollectArguments) -> int:
    results = _results(arguments)
    target = results.collect(arguments.out)
    units, rows, problems = len(results.results.units), results.results.number_of_rows, results.problems()
    if arguments.json:
        counts = {"units": units, "rows": rows, "problems": problems}
        print_json("collect", {"experiment": results.name, "file": str(target), **counts})
        return 0
    print_text(f"{rows} rows of {units} units: {target}")
    for problem in problems:
        print_text(f"passed over: {problem}")
    return 0


def _results(arguments: CollectArguments) -> ExperimentResult:
    """The results, read without code that a run directory names unless it is trusted: rows need none."""
    from engine.trusted_names import UntrustedCode
    from experiments.results import read_described_results

    try:
        return arguments.results()
    except UntrustedCode:
        from caregrid.runs.experiment import ExperimentResult

        return ExperimentResult(read_described_results(Path(arguments.directory or arguments.target)))
