"""Run an experiment or a sweep file, going on where it stopped, then collect, check and draw it.

TARGET is a name from 'caregrid list', a sweep file (.toml) or MODULE:NAME of your own. Finished units are kept: the
same command goes on where it stopped, with any engine and any number of workers. Exit code: 0 done and no claim
fails, 1 a unit failed or a claim fails, 2 bad input, 130 interrupted."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.runs.summary import RunSummary
    from experiments.targets import Target


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="experiment, sweep file or MODULE:NAME")
    parser.add_argument("--quick", action="store_true", help="the small subset that the experiment declares")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="care=0,1,5 or care=0:7:0.01 (start:stop:step); repeatable",
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds 0 to N-1")
    parser.add_argument("--seed", type=int, default=0, help="the number that all random keys derive from (default 0)")
    parser.add_argument("--out", metavar="DIR", help="run directory (default results/NAME)")
    parser.add_argument("--engine", default="local", help="serial, local (default) or dask; never changes a result")
    parser.add_argument("--workers", "--jobs", type=int, metavar="N", help="worker processes (default: one a core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="dask: a running scheduler's address or file")
    parser.add_argument(
        "--slurm", action="append", default=[], metavar="NAME=VALUE", help="dask: start SLURM jobs; repeatable"
    )
    parser.add_argument("--force", action="store_true", help="run stored units again")
    parser.add_argument("--yes", action="store_true", help="run a sweep of any size")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from experiments.runs.threads import limit_inner_threads

    limit_inner_threads()  # before anything loads numpy
    from experiments.results import Results
    from experiments.runs.run_directory import RunDirectory
    from experiments.tables import print_results
    from experiments.targets import resolve_target

    target = resolve_target(arguments.target)
    summary = _work(arguments, target)
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


def _stopped(arguments: argparse.Namespace, summary: RunSummary) -> int:
    if arguments.json:
        print(json.dumps({"experiment": arguments.target, **summary.as_dict()}))
    sys.stderr.write(f"caregrid: {summary.sentence()}; the same command goes on\n")
    return summary.exit_code


def _work(arguments: argparse.Namespace, target: Target) -> RunSummary:
    from engine.errors import BadValue
    from experiments.grid import overridden
    from experiments.provenance import this_command
    from experiments.runs.engines import EngineOptions
    from experiments.runs.progress import progress_on
    from experiments.runs.runner import run_experiment

    if arguments.quick and target.origin:
        raise BadValue("a sweep file has no quick subset", place="--quick", remedy="leave one of them out")
    start = target.experiment.quick_settings if arguments.quick else target.settings
    return run_experiment(
        target.experiment,
        arguments.out or target.directory,
        overridden(target.experiment.settings, arguments.set, arguments.seeds, start),
        seed=arguments.seed,
        engine=arguments.engine,
        options=EngineOptions(arguments.workers, arguments.scheduler, tuple(arguments.slurm)),
        force=arguments.force,
        confirmed=arguments.yes,
        progress=progress_on(sys.stderr, arguments.quiet),
        command=this_command(),
        origin=target.origin,
    )
