"""What every command takes that runs an experiment."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from engine.value_types import Workers

if TYPE_CHECKING:
    from caregrid.results.result import Result
    from caregrid.runs.execution import RunNotFinished, RunOptions

SEEDS = "how many (10: seeds 0 to 9), a list (1,2,3) or a range (0:10)"


@dataclass(frozen=True, kw_only=True)
class RunArguments(JsonArgument):
    """Where units run, what is run again, what is shown."""

    engine: str | None = option(
        None,
        "serial, local, dask or MODULE:NAME; never changes a result (default: local; sweep and battery: serial"
        " without --workers)",
        metavar="E",
    )
    workers: Workers | None = option(None, "worker processes (default: one a core)", metavar="N", aliases=("--jobs",))
    scheduler: str | None = option(None, "dask: a running scheduler's address or file", metavar="ADDRESS")
    slurm: tuple[str, ...] = option((), "dask: start SLURM jobs; repeatable", metavar="NAME=VALUE")
    dry_run: bool = option(False, "only print what the engine would start: with --slurm the script of a job")
    unit_timeout: float | None = option(None, "end a unit that runs longer, try it again, name it", metavar="SECONDS")
    out: str | None = option(None, "where to write (default: below results/, named after what is run)", metavar="DIR")
    force: bool = option(False, "run stored units again")
    yes: bool = option(False, "run a sweep, and units, of any size")
    quiet: bool = option(False, "no progress")

    def options_of_run(self) -> RunOptions:
        """The options of everything that runs experiments."""
        return {
            "engine": self.engine,
            "workers": self.workers,
            "scheduler": self.scheduler,
            "slurm": self.slurm,
            "unit_timeout": self.unit_timeout,
            "force": self.force,
            "confirmed": self.yes,
            "progress": not self.quiet,
        }

    def print_plan(self) -> int:
        """Print what the engine would start; BadValue or the like for options that mean nothing to it."""
        from caregrid.runs.execution import Execution

        plan = Execution(self.engine, self.workers, self.scheduler, self.slurm, self.unit_timeout).plan()
        if self.json:
            print_json("run_plan", {"plan": plan})
        else:
            print(plan, end="")
        return 0

    def place(self) -> str | Literal[True] | None:
        """Where to keep results: nowhere if JSON on stdout is all that is wanted, else --out or below results/."""
        return None if self.json and not self.out else self.out or True

    def print_finished(self, name: str, run: Callable[[], Result]) -> int:
        """Run something and print its result, or say why it is not complete; the exit code."""
        from caregrid.runs.execution import RunNotFinished

        try:
            result = run()
        except RunNotFinished as error:
            return _report_unfinished(error, self.json)
        self.print_result(name, result)
        return 0


def _report_unfinished(error: RunNotFinished, as_json: bool) -> int:
    """Say on stderr why a run is not complete, and how to go on; print what was finished as JSON; the exit code."""
    summary = error.summary
    if as_json:
        print_json("run_unfinished", error.as_dict())
    for failure in summary.failures[:1]:
        sys.stderr.write(f"caregrid: failed: {dict(failure.setting)}: {failure.reason}\n")
    how_to_go_on = "the same command goes on" if summary.kept else "with --out DIR the same command would go on"
    sys.stderr.write(f"caregrid: {summary.sentence()}; {how_to_go_on}\n")
    return summary.exit_code
