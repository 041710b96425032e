"""Compute the side-effect penalties of every step of an episode, against four baselines.

UR is unreachability, RR relative reachability, AU attainable utility; (t) counts losses only, (a) gains as well. The
last step of an episode is penalised as the one before it. Baselines: the starting state, inaction from the start on,
stepwise inaction, and stepwise inaction with inaction rollouts."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from engine.value_types import Seed, Utilities

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class PenaltiesArguments(ScenarioArguments, JsonArgument):
    """A scenario, actions, and what the measures need."""

    actions: str = option("", "the actions, by name", metavar="ACTION,ACTION,...")
    chance: str = option("", "outcomes of chance, by name", metavar="OUTCOME,...")
    seed: Seed = option(0, "of what --chance leaves open, and of utilities (default 0)", metavar="N")
    demonstration: str | None = option(None, "one of the scenario's own, in place of --actions", metavar="NAME")
    discount: float = option(0.99, "of reachability and utilities (default 0.99); AU needs one below 1", metavar="G")
    utilities: Utilities = option(10, "random utility functions (default 10)", metavar="N")


def run(arguments: PenaltiesArguments) -> int:
    from caregrid.programmes.caring.episodes import penalties

    result = penalties(
        arguments.scenario,
        arguments.actions,
        demonstration=arguments.demonstration,
        seed=arguments.seed,
        chance=arguments.chance,
        discount=arguments.discount,
        utilities=arguments.utilities,
        map=arguments.map,
        options=arguments.set,
    )
    arguments.print_result("penalties", result)
    return 0
