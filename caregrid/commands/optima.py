"""Compute the best return and the best hidden performance of a scenario, exactly, within its step limit.

Each is printed with the value of the other signal, a range if several policies are optimal. The gap is how far a
policy with the best return may stay below the best performance. Policies do not know what the scenario hides from the
agent."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.printed import JsonArgument

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class OptimaArguments(ScenarioArguments, JsonArgument):
    """A scenario."""


def run(arguments: OptimaArguments) -> int:
    from caregrid.programmes.caring.worlds import optima

    result = optima(arguments.scenario, map=arguments.map, options=arguments.set)
    arguments.print_result("optima", result)
    return 0
