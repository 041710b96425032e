"""What every command takes that runs an experiment, and the one way in which all of them do."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from experiments.experiment import Experiment, SettingValues
    from experiments.runs.summary import RunSummary

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
    workers: int | None = option(None, "worker processes (default: one a core)", metavar="N", aliases=("--jobs",))
    scheduler: str | None = option(None, "dask: a running scheduler's address or file", metavar="ADDRESS")
    slurm: tuple[str, ...] = option((), "dask: start SLURM jobs; repeatable", metavar="NAME=VALUE")
    out: str | None = option(None, "where to write (default: below results/, named after what is run)", metavar="DIR")
    force: bool = option(False, "run stored units again")
    yes: bool = option(False, "run a sweep of any size")
    quiet: bool = option(False, "no progress")

    def run(
        self,
        experiment: Experiment,
        directory: str | Path,
        settings: SettingValues | None = None,
        *,
        seed: int = 0,
        origin: Mapping[str, Any] | None = None,
        here: bool = False,
    ) -> RunSummary:
        """Run what is missing and store it. here: in this process, unless --engine or --workers say otherwise."""
        from experiments.provenance import this_command
        from experiments.runs.engines import EngineOptions
        from experiments.runs.progress import progress_on
        from experiments.runs.runner import run_experiment

        return run_experiment(
            experiment,
            directory,
            settings,
            seed=seed,
            engine=self.engine or ("serial" if here and self.workers in (None, 1) else "local"),
            options=EngineOptions(self.workers, self.scheduler, self.slurm),
            force=self.force,
            confirmed=self.yes,
            progress=progress_on(sys.stderr, self.quiet),
            command=this_command(),
            origin=dict(origin) if origin else None,
        )


def report_unfinished(summary: RunSummary) -> int:
    """Say on stderr why a run is not complete, and how to go on; the exit code."""
    for failure in summary.failures[:1]:
        sys.stderr.write(f"caregrid: failed: {dict(failure.setting)}: {failure.reason}\n")
    sys.stderr.write(f"caregrid: {summary.sentence()}; the same command goes on\n")
    return summary.exit_code
