"""Sweep the caring coefficient: a table, the break points and the paper's figure.

Without arguments: Figure 1(b) of "Be Considerate", exactly. `--method q_learning` runs the paper's learning protocol,
`--method both` draws one over the other. Writes sweep.csv, breakpoints.json, sweep.png and manifest.json; finished
units are stored beside them, and the same command continues where it stopped. `--certify` adds a column of proved error
bounds, 0 for exact fractions, and certificates of the break points."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.craft import CertifyArgument, WorkshopProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.runs import SEEDS, RunArguments
from engine.value_types import Seed, Steps

if TYPE_CHECKING:
    from caregrid.programmes.caring.sweep import CareSweep

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class SweepArguments(WorkshopProblemArguments, CertifyArgument, RunArguments):
    """A problem, the coefficients, the methods, and how to run them."""

    care: str = option("0:7:0.01", "start:stop:step (stop left out) or a,b,c; default 0:7:0.01", metavar="RANGE")
    method: str = option("exact", "default: exact", choices=("exact", "q_learning", "both"))
    seeds: str = option("1", f"of the learning agents: {SEEDS}; default 1", metavar="SEEDS")
    seed: Seed = option(0, "the number that all random keys derive from (default 0)", metavar="N")
    steps: Steps | None = option(None, "the acting agent learns for (default: until it is settled)", metavar="N")
    others_steps: Steps | None = option(None, "newcomers learn for (default: until they are settled)", metavar="N")
    quick: bool = option(False, "every tenth coefficient only")


def run(arguments: SweepArguments) -> int:
    if arguments.dry_run:
        return arguments.print_plan()
    return arguments.print_finished("sweep", lambda: _sweep(arguments))


def _sweep(arguments: SweepArguments) -> CareSweep:
    from experiments.ranges import parse_care_range

    care = parse_care_range(arguments.care)[::10] if arguments.quick else arguments.care
    sweep = arguments.problem().sweep(
        care,
        method=arguments.method,
        seeds=arguments.seeds,
        seed=arguments.seed,
        steps=arguments.steps,
        others_steps=arguments.others_steps,
        out=arguments.out or True,
        **arguments.options_of_run(),
    )
    if sweep.warning:
        sys.stderr.write(f"caregrid: {sweep.warning}\n")
    if arguments.certify:
        sweep = sweep.certified()
        assert sweep.directory is not None
        sweep.write(sweep.directory)
    return sweep
