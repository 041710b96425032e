"""Measure agents in the battery of extended environments: a tidy table and a heat map.

Names can be nested: reality_check(q_learning), opposite(crying_baby). Your own agent is MODULE:NAME, a spec or a
function that makes objects with act and train. Without options: the tabular agents and their reality checks, as in the
paper. Writes battery.csv and battery.png, and prints each agent's measure: the mean reward per turn, with an interval.
Finished runs are stored beside them, and the same command continues where it stopped."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option
from caregrid.arguments.runs import SEEDS, RunArguments
from engine.value_types import Turns

QUICK_TURNS = 1000

GROUP = "Self-reflection in extended environments"


@dataclass(frozen=True, kw_only=True)
class BatteryArguments(RunArguments):
    """Agents, environments, turns and seeds, and how to run them."""

    agents: tuple[str, ...] = option(
        (),
        "names, separated by commas; repeatable (default: the tabular ones)",
        metavar="A,B",
        kinds=("agents",),
        aliases=("--agent",),
    )
    environments: tuple[str, ...] = option(
        (),
        "names, separated by commas; repeatable (default: the benchmark)",
        metavar="X,Y",
        kinds=("environments",),
        aliases=("--environment",),
    )
    turns: Turns = option(100_000, "turns a run (default 100000)", metavar="N")
    seeds: str = option("1,2,3,4,5", f"{SEEDS}; default 1,2,3,4,5", metavar="SEEDS")
    opposites: bool = option(False, "add the opposite of every environment")
    randomness: str = option("keys", "keys (default), or published: the published runs' pools", metavar="SOURCE")
    quick: bool = option(False, f"{QUICK_TURNS} turns a run at most")
    device: str = option("cpu", "cpu (default), or cuda for stacked deep agents", metavar="DEVICE")
    check: bool = option(False, "first check that the agents are semi-deterministic: that asking changes no answer")


def run(arguments: BatteryArguments) -> int:
    if arguments.dry_run:
        return arguments.print_plan()
    from caregrid.programmes.extended.battery import battery

    return arguments.print_finished(
        "battery",
        lambda: battery(
            arguments.agents,
            arguments.environments,
            turns=arguments.turns,
            seeds=arguments.seeds,
            opposites=arguments.opposites,
            randomness=arguments.randomness,
            quick=arguments.quick,
            check=arguments.check,
            device=arguments.device,
            out=arguments.place(),
            **arguments.options_of_run(),
        ),
    )
