"""Compute the action values of agents that may be copied, or simulate such agents and print the trace.

FILE is an environment table in JSON, NAME a scenario (none: list them). --value is a future: cpy, cpy_joint, sta:1,
dyn, every, first, minimal, prime, same_history, slot:1; or, with --policy, common_ancestor or has_output:ACTIONS.
--history is "action,observation;action,observation"; --horizon counts the steps looked ahead from there. A file that
holds "horizon" and "discount" gives their defaults. --class FILE evaluates the learning agent of a class of
environments. --policy is always:ACTION, cycle:A,B, random:SEED, lookahead:K,FUTURE, or a future (the policy that is
optimal for it): simulated with --simulate, evaluated without it. MODULE:NAME and MODULE:NAME:ARGUMENT name your own
objects in each place.

  caregrid multislot swap --value cpy --horizon 4
  caregrid multislot booth_corridor:move --simulate 5 --horizon 10 --policy cpy --out walk.gif
  caregrid multislot locality swap
  caregrid multislot locality my_file:MyWorld --horizon 3 --out witness.png

`locality` checks whether an environment is history-based (Definition 9) in its first --horizon steps (default 3), that
is, whether equal histories on one slot have equal laws. If not, it draws two situations and exits with 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.effort import EffortArguments
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text
from engine.bounds import Horizon, Seed

GROUP = "Agents that may be copied"


@dataclass(frozen=True, kw_only=True)
class MultislotArguments(JsonArgument, EffortArguments):
    """An environment or a class of them, what to evaluate, simulate or check, and where agents are."""

    world: str | None = positional(
        "environment table, scenario or MODULE:NAME; or locality",
        metavar="FILE|NAME|locality",
        default=None,
        kinds=("slot_scenarios",),
    )
    subject: str | None = positional(
        "after locality: what to check", metavar="FILE|NAME", default=None, kinds=("slot_scenarios",)
    )
    members: str | None = option(None, "a class of environments with prior weights", metavar="FILE", name="--class")
    trust: bool = option(False, "import code that the file of --class names, MODULE:NAME")
    likelihood: str = option("exists", "exists (default), count, path, possible, prior or MODULE:NAME", metavar="NAME")
    value: str = option(
        "cpy", "the future that counts (default cpy), or MODULE:NAME", metavar="FUTURE", kinds=("slot_futures",)
    )
    horizon: Horizon | None = option(None, "steps looked ahead from the history", metavar="T")
    discount: str | None = option(None, "a fraction from 0 to 1 (default 1/2)", metavar="P/Q")
    history: str = option("", "the agent's actions and observations so far", metavar="A,O;A,O")
    arithmetic: str = option("exact", "exact (default) or float", metavar="NAME", aliases=("--backend",))
    policy: str | None = option(None, "the policy of the agents", metavar="POLICY")
    simulate: Horizon | None = option(None, "run T steps and print the trace", metavar="T")
    seed: Seed = option(0, "of the random outcomes in a simulation (default 0)", metavar="N")
    out: str | None = option(
        None, "write the simulation as a film, or the witness of locality (.gif, .png, .txt ...)", metavar="FILE"
    )

    def of_the_world(self) -> dict[str, Any]:
        """What the functions that evaluate and simulate take alike."""
        return {
            "world": self.world or None,
            "members": self.members,
            "likelihood": self.likelihood,
            "discount": self.discount,
            "arithmetic": self.arithmetic,
            "effort": self.effort(),
            "trust": self.trust,
        }


def run(arguments: MultislotArguments) -> int:
    from caregrid.programmes.slots.values import slots
    from engine.errors import BadValue

    if arguments.world == "locality":
        return _locality(arguments)
    if arguments.subject is not None:
        raise BadValue(f"two names, '{arguments.world}' and '{arguments.subject}'", remedy="name one environment")
    if not arguments.world and not arguments.members:
        return _list_scenarios(arguments)
    if arguments.simulate is not None:
        return _simulate(arguments, arguments.simulate)
    if arguments.out is not None:
        raise BadValue("only a simulation can be filmed", place="--out", remedy="add --simulate T --policy POLICY")
    values = slots(
        value=arguments.value,
        horizon=arguments.horizon,
        history=arguments.history,
        policy=arguments.policy,
        **arguments.of_the_world(),
    )
    arguments.print_result("multislot", values)
    return 0


def _simulate(arguments: MultislotArguments, steps: int) -> int:
    from caregrid.programmes.slots.values import simulate_slots
    from renderers.film import format_for

    if arguments.out is not None:
        format_for(arguments.out)
    given = arguments.of_the_world()
    world = given.pop("world")
    simulation = simulate_slots(
        world, arguments.policy or "", steps, horizon=arguments.horizon, seed=arguments.seed, **given
    )
    if arguments.out is not None:
        simulation.film().save(arguments.out)
    arguments.print_result("multislot_simulation", simulation)
    return 0


def _locality(arguments: MultislotArguments) -> int:
    from caregrid.programmes.slots.locality import locality
    from engine.errors import BadValue
    from renderers.film import format_for

    if arguments.subject is None:
        remedy = "name a table, a scenario or MODULE:NAME, as in: caregrid multislot locality swap"
        raise BadValue("nothing to check", place="locality", remedy=remedy)
    if arguments.out is not None:
        format_for(arguments.out)
    steps = 3 if arguments.horizon is None else arguments.horizon
    found = locality(arguments.subject, steps, effort=arguments.effort())
    if arguments.out is not None and not found.history_based:
        found.film().save(arguments.out)
    arguments.print_result("multislot_locality", found)
    return 0 if found.history_based else 1


def _list_scenarios(arguments: MultislotArguments) -> int:
    from caregrid.inventory import entries
    from experiments.rows import align_lines

    summaries = {row["name"]: row["summary"] for row in entries("slot_scenarios").rows()}
    if arguments.json:
        print_json("multislot_scenarios", {"scenarios": summaries})
    else:
        print_text("\n".join(align_lines(summaries.items())))
    return 0
