"""Solve a scenario exactly at one caring coefficient.

Prints the acting agent's own return, each newcomer's value, the total, what is handed over and the actions;
`--draw` draws every state of the acting agent's episode and of the newcomers' after it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.craft import CareArgument, ProblemArguments, named_problem
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from caregrid.outcome_json import outcome_dict, values_text


@dataclass(frozen=True, kw_only=True)
class SolveArguments(ProblemArguments, CareArgument, JsonArgument):
    """A problem and a coefficient."""

    draw: bool = option(False, "draw the episodes", aliases=("--frames",))


def run(arguments: SolveArguments) -> int:
    from craftworld.solution.solution import solve

    problem = named_problem(arguments).make_problem()
    outcome, cases = solve(problem, arguments.care)
    frames = _frames(problem, arguments.care) if arguments.draw else []
    if arguments.json:
        result = {
            "scenario": problem.scenario.name,
            "formulation": problem.formulation,
            "care": arguments.care,
            "own_coefficient": arguments.own,
            **outcome_dict(outcome, cases),
        }
        result["return"] = result["own"]
        print(json.dumps(result | ({"frames": frames} if arguments.draw else {})))
        return 0
    for frame in frames:
        print(frame, end="\n\n")
    print(f"own return  {outcome.own:g}")
    print(f"others      {values_text(outcome.others)}")
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
    from craftworld.solution.problem import Problem
    from renderers.text import draw

    assert isinstance(problem, Problem)
    starts = [int(start) for start in problem.mdp.start_states()]
    return [draw(scene, legend=False) for start in starts for scene in film(episodes(problem, care, start))]
