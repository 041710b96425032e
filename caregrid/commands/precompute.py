"""Compute the others' values once and save them, for 'solve', 'breakpoints' and 'sweep' to load with --values."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.declaration import option, required_option
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text
from engine.bounds import Seed, Steps

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class PrecomputeArguments(ScenarioArguments, JsonArgument):
    """A scenario and how the others learn or solve it."""

    discount: float | None = option(None, "gamma (default: the scenario's)", metavar="G")
    method: str = option("exact", "default: exact", choices=("exact", "q_learning"))
    seed: Seed = option(0, "of the learning newcomers (default 0)", metavar="N")
    steps: Steps | None = option(None, "newcomers learn for (default: until they are settled)", metavar="N")
    yes: bool = option(False, "take any number of steps")
    out: str = required_option("the .npz file to write", metavar="FILE")


def run(arguments: PrecomputeArguments) -> int:
    values = arguments.problem().precompute(
        method=arguments.method, seed=arguments.seed, steps=arguments.steps, confirmed=arguments.yes
    )
    values.save(arguments.out, "npz")
    made = values.as_dict()
    if values.warning:
        sys.stderr.write(f"caregrid: {values.warning}\n")
    if arguments.json:
        print_json("precompute", {"scenario": made.pop("scenario"), "file": arguments.out, **made})
    else:
        print_text(f"wrote {arguments.out}: {', '.join(values.names)}, {values.fingerprint}")
    return 0
