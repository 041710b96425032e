"""Run an experiment or a sweep file, going on where it stopped, then collect, check and draw it.

TARGET is a name from 'caregrid list', a sweep file (.toml) or MODULE:NAME of your own. Finished units are kept: the
same command goes on where it stopped, with any engine and any number of workers. Exit code: 0 done and no claim
fails, 1 a unit failed or a claim fails, 2 bad input, 130 interrupted."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.runs import SEEDS, RunArguments

if TYPE_CHECKING:
    from experiments.runs.summary import RunSummary
    from experiments.targets import Target


@dataclass(frozen=True, kw_only=True)
class RunCommandArguments(RunArguments):
    """An experiment, what to change of its settings, and how to run it."""

    target: str = positional("experiment, sweep file or MODULE:NAME", metavar="TARGET")
    quick: bool = option(False, "the small subset that the experiment declares")
    set: tuple[str, ...] = option(
        (),
        "a setting of the experiment: care=0,1,5 or care=0:7:0.01 (start:stop:step); repeatable",
        metavar="NAME=VALUES",
    )
    seeds: str | None = option(None, f"the setting 'seed': {SEEDS}", metavar="SEEDS")
    seed: int = option(0, "the number that all random keys derive from (default 0)", metavar="N")


def run(arguments: RunCommandArguments) -> int:
    from experiments.runs.threads import limit_inner_threads

    limit_inner_threads()  # before anything loads numpy
    from experiments.report.printed import print_results
    from experiments.results import Results
    from experiments.runs.run_directory import RunDirectory
    from experiments.targets import resolve_target

    target = resolve_target(arguments.target)
    summary = _run(arguments, target)
    if summary.stopped:
        return _stopped(arguments, summary)
    results = Results(RunDirectory(summary.directory, target.experiment, arguments.seed))
    files = results.write(summary.directory)
    if arguments.json:
        print(json.dumps({**summary.as_dict(), **results.summary(), "files": files}))
    else:
        print_results(results, files)
        print(summary.sentence())
    return summary.exit_code or int(results.fails)


def _stopped(arguments: RunCommandArguments, summary: RunSummary) -> int:
    if arguments.json:
        print(json.dumps({"experiment": arguments.target, **summary.as_dict()}))
    sys.stderr.write(f"caregrid: {summary.sentence()}; the same command goes on\n")
    return summary.exit_code


def _run(arguments: RunCommandArguments, target: Target) -> RunSummary:
    from engine.errors import BadValue
    from experiments.grid import overridden
    from experiments.ranges import seed_range

    if arguments.quick and target.origin:
        raise BadValue("a sweep file has no quick subset", place="--quick", remedy="leave one of them out")
    start = target.experiment.quick_settings if arguments.quick else target.settings
    seeds = seed_range(arguments.seeds) if arguments.seeds is not None else None
    settings = overridden(target.experiment.settings, arguments.set, seeds, start)
    directory = arguments.out or target.directory_of(arguments.seed)
    return arguments.run(target.experiment, directory, settings, seed=arguments.seed, origin=target.origin)
