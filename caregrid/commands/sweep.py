"""Sweep the caring coefficient: a table, the break points and the paper's figure.

Without arguments: Figure 1(b) of "Be Considerate", exactly. `--method q-learning` runs the paper's learning protocol,
`--method both` draws one over the other. Writes sweep.csv, breakpoints.json, sweep.png and manifest.json."""

from __future__ import annotations

import argparse
import sys

from caregrid.arguments import add_formulation, add_scenario, problem_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_scenario(parser, default="workshop")
    add_formulation(parser)
    parser.add_argument(
        "--care", metavar="RANGE", default="0:7:0.01", help="start:stop:step (stop left out) or a,b,c; default 0:7:0.01"
    )
    parser.add_argument("--method", choices=("exact", "q-learning", "both"), default="exact", help="default: exact")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of the learning agents (default 0)")
    parser.add_argument("--seeds", metavar="N", type=int, default=1, help="how many seeds (default 1)")
    parser.add_argument("--steps", type=int, default=None, help="of the acting agent (default: the paper's)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="worker processes (default 1)")
    parser.add_argument("--out", metavar="DIR", default="caregrid-out", help="default: caregrid-out")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print the rows and break points as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    import json
    import time

    from caregrid.sweep_output import write_sweep
    from craftworld.solution.solution import break_points
    from craftworld.solution.sweep import acting_settings, exact_rows, learned_rows
    from engine.errors import BadValue
    from engine.files import output_directory
    from experiments.figures.style import new_figure
    from experiments.ranges import care_range
    from experiments.runs.progress import progress_on

    began = time.perf_counter()
    if arguments.seeds < 1:
        raise BadValue(f"{arguments.seeds} seeds", place="--seeds", remedy="use at least one")
    if arguments.jobs < 1:
        raise BadValue(f"{arguments.jobs} jobs", place="--jobs", remedy="use at least one")
    cares = care_range(arguments.care)
    new_figure()  # what is missing for the figure is missed now, not after an hour of learning
    problem = problem_of(arguments)
    acting = acting_settings(problem.scenario, arguments.steps)
    out = output_directory(arguments.out)
    rows = exact_rows(problem, cares) if arguments.method != "q-learning" else []
    if arguments.method != "exact":
        seeds = range(arguments.seed, arguments.seed + arguments.seeds)
        progress = progress_on(sys.stderr, arguments.quiet)
        progress.start("learning", len(seeds) * len(cares))
        try:
            rows += learned_rows(
                problem,
                cares,
                seeds,
                arguments.jobs,
                acting,
                beliefs=problem.others if arguments.values else None,
                on_progress=lambda done: progress.update(done, 0),
            )
        finally:
            progress.stop()
    points = break_points(problem, min(cares), max(cares)) if len(set(cares)) > 1 else []
    told = write_sweep(out, problem, rows, points, {"seed": arguments.seed, "seconds": time.perf_counter() - began})
    if arguments.json:
        print(json.dumps(told))
        return 0
    print(f"{len(rows)} rows, break points {', '.join(f'{point:g}' for point in points) or 'none'}")
    for name in ("sweep.csv", "breakpoints.json", "sweep.png", "manifest.json"):
        print(f"wrote {out / name}")
    return 0
