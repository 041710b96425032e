"""Precompute what the others can expect and save it, for 'solve', 'breakpoints' and 'sweep' to load with --values."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.declaration import option, required_option
from caregrid.arguments.printed import JsonArgument
from engine.limits.long_runs import SECONDS_A_LEARNING_STEP, require_confirmed


@dataclass(frozen=True, kw_only=True)
class PrecomputeArguments(ScenarioArguments, JsonArgument):
    """A scenario and how the others learn or solve it."""

    discount: float | None = option(None, "gamma (default: the scenario's)", metavar="G")
    method: str = option("exact", "default: exact", choices=("exact", "q_learning"))
    seed: int = option(0, "of the learning newcomers (default 0)", metavar="N")
    steps: int | None = option(None, "newcomers learn for (default: until they are settled)", metavar="N", least=1)
    yes: bool = option(False, "take any number of steps")
    out: str = required_option("the .npz file to write", metavar="FILE")


def run(arguments: PrecomputeArguments) -> int:
    require_confirmed(arguments.steps, "steps of learning", "--steps", SECONDS_A_LEARNING_STEP, arguments.yes)
    values = arguments.problem().precompute(method=arguments.method, seed=arguments.seed, steps=arguments.steps)
    values.save(arguments.out, "npz")
    made = values.as_dict()
    if values.warning:
        sys.stderr.write(f"caregrid: {values.warning}\n")
    if arguments.json:
        print(json.dumps({"scenario": made.pop("scenario"), "file": arguments.out, **made}))
    else:
        print(f"wrote {arguments.out}: {', '.join(values.names)}, {values.fingerprint}")
    return 0
