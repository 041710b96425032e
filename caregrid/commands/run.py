"""Run an experiment or a sweep file, continuing where it stopped, then collect, check and draw it.

TARGET is a name from 'caregrid list', a sweep file (.toml) or MODULE:NAME of your own. Finished units are stored: the
same command continues where it stopped, with any engine and any number of workers. Exit code: 0 done and no claim
fails, 1 a unit failed or a claim fails, 2 bad input, 130 interrupted."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import print_json
from caregrid.arguments.runs import SEEDS, RunArguments
from engine.value_types import Seed

if TYPE_CHECKING:
    from experiments.runs.progress import RunSummary

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class RunCommandArguments(RunArguments):
    """An experiment, what to change of its settings, and how to run it."""

    target: str = positional("experiment, sweep file or MODULE:NAME", metavar="TARGET", kinds=("experiments",))
    quick: bool = option(False, "the small subset that the experiment declares")
    set: tuple[str, ...] = option(
        (),
        "a setting of the experiment: care=0,1,5 or care=0:7:0.01 (start:stop:step); repeatable",
        metavar="NAME=VALUES",
    )
    seeds: str | None = option(None, f"the setting 'seed': {SEEDS}", metavar="SEEDS")
    seed: Seed = option(0, "the number that all random keys derive from (default 0)", metavar="N")
    trust: bool = option(False, "import code that the sweep file names, MODULE:NAME, and run it")


def run(arguments: RunCommandArguments) -> int:
    if arguments.dry_run:
        return arguments.print_plan()
    from experiments.runs.worker import limit_inner_threads

    limit_inner_threads()  # before anything loads numpy
    from caregrid.runs import experiment
    from caregrid.runs.execution import RunNotFinished

    try:
        result = experiment.run(
            arguments.target,
            quick=arguments.quick,
            settings=arguments.set,
            seeds=arguments.seeds,
            seed=arguments.seed,
            out=arguments.out or True,
            trust=arguments.trust,
            **arguments.options_of_run(),
        )
    except RunNotFinished as error:
        return _stopped(arguments, error.summary)
    arguments.print_result("run", result)
    return result.exit_code


def _stopped(arguments: RunCommandArguments, summary: RunSummary) -> int:
    if arguments.json:
        print_json("run_unfinished", {"experiment": arguments.target, **summary.as_dict()})
    sys.stderr.write(f"caregrid: {summary.sentence()}; the same command goes on\n")
    return summary.exit_code
