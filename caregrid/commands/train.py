"""Train an agent on a scenario at one caring coefficient, and store its policy and learning curve.

`q_learning` is the tabular learner of 'caregrid sweep'. All other agents, such as `dqn`, `sb3_dqn`, `stacked_dqn` or
your own MODULE:NAME, observe the state's number and the reward. At checkpoints the greedy policy is evaluated and
compared with the exact optimum. `caregrid view`, `record` and `compare` show it with --policy DIR."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from caregrid.arguments.craft import CareArgument, ProblemArguments
from caregrid.arguments.declaration import option, required_option
from caregrid.arguments.printed import JsonArgument
from engine.value_types import Seed, Steps

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class TrainArguments(ProblemArguments, CareArgument, JsonArgument):
    """A problem, a coefficient, an agent, and where to keep its policy."""

    agent: str = option(
        "q_learning", "an agent (see 'caregrid list agents') or MODULE:NAME", metavar="A", kinds=("agents",)
    )
    steps: Steps | None = option(None, "of the world (default: by agent and world)", metavar="N")
    seed: Seed = option(0, "of all random numbers (default 0)", metavar="N")
    device: str = option("cpu", "cpu (default), or cuda for stacked deep agents", metavar="DEVICE")
    yes: bool = option(False, "take any number of steps")
    out: str = required_option("where to keep policy and learning curve", metavar="DIR")


def run(arguments: TrainArguments) -> int:
    training = arguments.problem().train(
        arguments.agent,
        arguments.care,
        steps=arguments.steps,
        seed=arguments.seed,
        out=arguments.out,
        confirmed=arguments.yes,
        device=arguments.device,
    )
    if training.warning:
        sys.stderr.write(f"caregrid: {training.warning}\n")
    arguments.print_result("train", training)
    return 0
