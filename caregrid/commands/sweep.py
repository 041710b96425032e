"""Sweep the caring coefficient: a table, the break points and the paper's figure.

Without arguments: Figure 1(b) of "Be Considerate", exactly. `--method q_learning` runs the paper's learning protocol,
`--method both` draws one over the other. Writes sweep.csv, breakpoints.json, sweep.png and manifest.json; finished
units are kept beside them, and the same command goes on where it stopped."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caregrid.arguments.craft import WorkshopProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.runs import SEEDS, RunArguments, report_unfinished

if TYPE_CHECKING:
    from experiments.requests.sweep import CareSweepRequest


@dataclass(frozen=True, kw_only=True)
class SweepArguments(WorkshopProblemArguments, RunArguments):
    """A problem, the coefficients, the methods, and how to run them."""

    care: str = option("0:7:0.01", "start:stop:step (stop left out) or a,b,c; default 0:7:0.01", metavar="RANGE")
    method: str = option("exact", "default: exact", choices=("exact", "q_learning", "both"))
    seeds: str = option("1", f"of the learning agents: {SEEDS}; default 1", metavar="SEEDS")
    seed: int = option(0, "added to every seed (default 0)", metavar="N")
    steps: int | None = option(None, "of the acting agent (default: the paper's)", metavar="N")
    quick: bool = option(False, "every tenth coefficient only")


def run(arguments: SweepArguments) -> int:
    from caregrid.sweep_output import write_sweep
    from craftworld.solution.solution import break_points
    from engine.files import output_directory
    from experiments.figures.style import new_figure
    from experiments.ranges import care_range
    from experiments.runs.run_directory import RunDirectory, read_manifest
    from experiments.targets import RESULTS

    began = time.perf_counter()
    request = _request(arguments)
    cares = care_range(request.care)
    new_figure()  # what is missing for the figure is missed now, not after an hour of learning
    experiment = request.experiment()
    directory = Path(arguments.out or Path(RESULTS) / request.name)
    request.refuse_clash(read_manifest(directory), directory)
    summary = arguments.run(experiment, directory, origin=request.as_dict(), here=True)
    if not summary.complete:
        return report_unfinished(summary)
    store = RunDirectory(output_directory(directory), experiment)
    rows = request.ordered({(unit.setting["seed"], unit.setting["cares"]): unit.rows for unit in store.finished()})
    problem = request.problem.make_problem()
    points = break_points(problem, (min(cares), max(cares))) if len(set(cares)) > 1 else []
    result = write_sweep(directory, problem, rows, points)
    store.note_facts({"seed": arguments.seed, "seconds": time.perf_counter() - began})
    if arguments.json:
        print(json.dumps(result))
        return 0
    print(f"{len(rows)} rows, break points {', '.join(f'{point:g}' for point in points) or 'none'}")
    for name in ("sweep.csv", "breakpoints.json", "sweep.png", "manifest.json"):
        print(f"wrote {directory / name}")
    return 0


def _request(arguments: SweepArguments) -> CareSweepRequest:
    from experiments.ranges import care_range, seed_range
    from experiments.requests.sweep import CareSweepRequest

    seeds = tuple(arguments.seed + seed for seed in seed_range(arguments.seeds))
    care = ",".join(map(repr, care_range(arguments.care)[::10])) if arguments.quick else arguments.care
    return CareSweepRequest(
        arguments.scenario,
        arguments.formulation,
        arguments.map,
        arguments.set,
        arguments.own,
        arguments.discount,
        arguments.values,
        care,
        arguments.method,
        seeds,
        arguments.steps,
    )
