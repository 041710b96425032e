"""Solve a scenario exactly at one caring coefficient.

Prints the acting agent's own return, each newcomer's value, the total, what is handed over and the actions;
`--frames` draws every state of the acting agent's episode and of the newcomers' after it."""

from __future__ import annotations

import argparse
import json

from caregrid.arguments import add_formulation, add_scenario, problem_of
from caregrid.outcome_json import in_words, outcome_dict


def configure(parser: argparse.ArgumentParser) -> None:
    add_scenario(parser)
    add_formulation(parser)
    parser.add_argument("--care", metavar="X", type=float, default=1.0, help="the caring coefficient (default 1)")
    parser.add_argument("--frames", action="store_true", help="draw the episodes")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from craftworld.solution.solution import solve

    problem = problem_of(arguments)
    outcome, cases = solve(problem, arguments.care)
    frames = _frames(problem, arguments.care) if arguments.frames else []
    if arguments.json:
        result = {
            "scenario": problem.scenario.name,
            "formulation": problem.formulation,
            "care": arguments.care,
            "own_coefficient": arguments.own,
            **outcome_dict(outcome, cases),
        }
        result["return"] = result["own"]
        print(json.dumps(result | ({"frames": frames} if arguments.frames else {})))
        return 0
    for frame in frames:
        print(frame, end="\n\n")
    print(f"own return  {outcome.own:g}")
    print(f"others      {in_words(outcome.others)}")
    print(f"total       {outcome.total:g}")
    if not outcome.actions and not any(case.outcome.actions for case in cases):
        return 0
    for case in cases:
        if len(cases) > 1:
            print(f"from {case.start} (probability {case.probability:g}):")
        print(f"handover    {case.outcome.handover or 'never: the policy does not end'}")
        print(f"actions     {', '.join(case.outcome.actions)}")
    return 0


def _frames(problem: object, care: float) -> list[str]:
    from craftworld.solution.episodes import episodes, film
    from craftworld.solution.solution import Problem
    from renderers.text import draw

    assert isinstance(problem, Problem)
    starts = [int(start) for start in problem.mdp.start_states()]
    return [draw(scene, key=False) for start in starts for scene in film(episodes(problem, care, start))]
