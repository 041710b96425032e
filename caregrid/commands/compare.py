"""Compare the paths that cares and formulations lead to, side by side, as in the paper's Figures 2 and 3.

A row a formulation: all paths on one map, then each path with the world as it was left. Without --out it is drawn as
text; --out writes .png, or any other format that films have."""

from __future__ import annotations

import argparse
import json
import sys


def configure(parser: argparse.ArgumentParser) -> None:
    from caregrid.arguments import add_formulation, add_scenario

    add_scenario(parser)
    add_formulation(parser)
    parser.add_argument("--care", metavar="X,X,...", default="0,1", help="caring coefficients (default 0,1)")
    parser.add_argument("--tile", metavar="N", type=int, default=32, help="pixels a cell (default 32)")
    parser.add_argument("--headless", action="store_true", help="accepted everywhere; comparing needs no display")
    parser.add_argument("--frames", metavar="N", type=int, help="accepted everywhere; a comparison is one frame")
    parser.add_argument("--out", metavar="FILE", help="where to write the picture")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from caregrid.outcome_json import outcome_dict
    from caregrid.show_arguments import problems
    from caregrid.shows.films import path_comparison
    from craftworld.solution.solution import solve
    from experiments.ranges import care_range
    from renderers.film import encoder, save
    from renderers.text import draw, in_colour

    if arguments.out:
        encoder(arguments.out)
    cares = care_range(arguments.care)
    posed = problems(arguments, arguments.formulation)
    picture = path_comparison(posed, cares)
    if arguments.out:
        save(arguments.out, (picture,), tile=arguments.tile)
    if arguments.json:
        rows = [
            {"formulation": problem.formulation, "care": care, **outcome_dict(*solve(problem, care))}
            for problem in posed
            for care in cares
        ]
        print(json.dumps({"scenario": arguments.scenario, "out": arguments.out, "rows": rows}))
    elif arguments.out:
        print(f"{len(posed)} x {len(cares)} paths in {arguments.out}")
    else:
        print(draw(picture, coloured=in_colour(sys.stdout)))
    return 0
