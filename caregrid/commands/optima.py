"""The best return and the best hidden performance of a scenario, exactly, within its step limit.

Each with what the other signal then amounts to: a range where several policies are optimal. The gap is how far a policy
of the best return may stay below the best performance. What a scenario hides from the agent is not known to its
policies."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.printed import JsonArgument

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class OptimaArguments(ScenarioArguments, JsonArgument):
    """A scenario."""


def run(arguments: OptimaArguments) -> int:
    from caregrid.api.optima import optima

    result = optima(arguments.scenario, map=arguments.map, options=arguments.set)
    arguments.print_result("optima", result)
    return 0
