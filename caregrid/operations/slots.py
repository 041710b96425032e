"""The operation of agents that may be copied: their values, simulations of them, and whether a world is local."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, QUIET
from engine.files import require_file_place
from engine.plain_values import ExactDiscount
from engine.value_types import Horizon, Seed

if TYPE_CHECKING:
    from caregrid.programmes.slots.locality import LocalityResult
    from caregrid.programmes.slots.values import SlotScenarios, SlotSimulation, SlotValues
    from caregrid.programmes.turns import RecordedTurns

__all__ = ["multislot"]

GROUP = "Agents that may be copied"
LOCALITY = "locality"
SCENARIOS = ("slot_scenarios",)
STEPS_OF_LOCALITY = 3


@operation(group=GROUP, pictures=True)
def multislot(
    world: Annotated[str | None, Word(metavar="FILE|NAME|locality", kinds=SCENARIOS, by_place=True)] = None,
    subject: Annotated[str | None, Word(metavar="FILE|NAME", kinds=SCENARIOS, by_place=True)] = None,
    *,
    members: Annotated[str | None, Word(option="--class", metavar="FILE")] = None,
    trust: bool = False,
    likelihood: Annotated[str, Word(metavar="NAME")] = "exists",
    value: Annotated[str, Word(metavar="FUTURE", kinds=("slot_futures",))] = "cpy",
    horizon: Annotated[Horizon | None, Word(metavar="T")] = None,
    within: Annotated[str | None, Word(metavar="P/Q")] = None,
    discount: ExactDiscount | None = None,
    history: Annotated[str, Word(metavar="A,O;A,O")] = "",
    arithmetic: Annotated[str, Word(metavar="NAME")] = "exact",
    policy: Annotated[str | None, Word(metavar="POLICY")] = None,
    simulate: Annotated[Horizon | None, Word(metavar="T")] = None,
    seed: Seed = 0,
    out: Annotated[str | Path | None, FILE] = None,
    record: Annotated[str | Path | None, FILE] = None,
    yes: bool = False,
    quiet: Annotated[bool, QUIET] = True,
) -> SlotValues | SlotSimulation | LocalityResult | SlotScenarios:
    """Compute the action values of agents that may be copied, or simulate such agents and print the trace.

    FILE is an environment table in JSON, NAME a scenario (none: list them). --value is a future: cpy, cpy_joint, sta:1,
    dyn, every, first, minimal, prime, same_history, slot:1; or, with --policy, common_ancestor or has_output:ACTIONS.
    --history is "action,observation;action,observation"; --horizon counts the steps looked ahead from there. A file
    that holds "horizon" and "discount" gives their defaults. --within P/Q looks as far ahead as values of an infinite
    horizon need, where the discount outweighs copying, and prints how far off they may be. --class FILE evaluates the
    learning agent of a class of environments. --policy is always:ACTION, cycle:A,B, random:SEED, lookahead:K,FUTURE, or
    a future (the policy that is optimal for it): simulated with --simulate, evaluated without it. MODULE:NAME and
    MODULE:NAME:ARGUMENT name your own objects in each place.

      caregrid multislot swap --value cpy --horizon 4
      caregrid multislot booth_corridor:move --simulate 5 --horizon 10 --policy cpy --out walk.gif
      caregrid multislot locality swap
      caregrid multislot locality my_file:MyWorld --horizon 3 --out witness.png

    `locality` checks whether an environment is history-based (Definition 9) in its first --horizon steps (default 3),
    that is, whether equal histories on one slot have equal laws. If not, it draws two situations and exits with 1.

    In Python these are `caregrid.slots`, `caregrid.simulate_slots` and `caregrid.locality`.

    Parameters
    ----------
    world : str
        Environment table, scenario or MODULE:NAME; or locality.
    subject : str
        After locality: what to check.
    members : str
        A class of environments with prior weights.
    trust : bool
        Import code that the file of --class names, MODULE:NAME.
    likelihood : str
        How likely a history makes each environment: exists, count, path, possible, prior or MODULE:NAME.
    value : str
        The future that counts, or MODULE:NAME.
    horizon : int
        Steps looked ahead from the history.
    within : str
        In place of --horizon, for an infinite one: how far a value may be from the exact one.
    discount : str
        A fraction from 0 to 1 (default: 1/2).
    history : str
        The agent's actions and observations so far.
    arithmetic : str
        How numbers are computed: exact or float.
    policy : str
        The policy of the agents.
    simulate : int
        Run T steps and print the trace.
    seed : int
        The seed of the random outcomes in a simulation.
    out : str or Path
        Write the simulation as a film, or the witness of locality (.gif, .png, .txt ...).
    record : str or Path
        Write what the agents of a simulation do (.jsonl), which 'caregrid identify' reads.
    yes : bool
        Do any amount of work; without it, large amounts are refused with an estimate.
    quiet : bool
        No progress (by default in Python).

    Returns
    -------
    SlotValues, SlotSimulation, LocalityResult or SlotScenarios
        What was asked for.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For names and numbers that cannot be, and options that mean nothing together.

    Examples
    --------
    >>> from caregrid.operations.slots import multislot
    >>> multislot("locality", "swap", horizon=2).history_based
    True
    """
    from caregrid.programmes.slots.values import SlotScenarios, simulate_slots, slots
    from engine.errors import BadValue

    asking = {"yes": yes, "quiet": quiet}
    shared: dict[str, Any] = {
        "members": members,
        "likelihood": likelihood,
        "discount": discount,
        "arithmetic": arithmetic,
        "trust": trust,
        **asking,
    }
    if world == LOCALITY:
        from caregrid.programmes.slots.locality import locality

        if subject is None:
            remedy = "name a table, a scenario or MODULE:NAME, as in: caregrid multislot locality swap"
            raise BadValue("nothing to check", place=LOCALITY, remedy=remedy)
        _require_film_format(out)
        found = locality(subject, STEPS_OF_LOCALITY if horizon is None else horizon, **asking)
        if out is not None and not found.history_based:
            found.film().save(out)
        return found
    if subject is not None:
        raise BadValue(f"two names, '{world}' and '{subject}'", remedy="name one environment")
    if not world and not members:
        from caregrid.operations.entries import entries

        return SlotScenarios({row["name"]: row["summary"] for row in entries("slot_scenarios").rows()})
    if within is not None and simulate is not None:
        remedy = "leave one of the two out"
        raise BadValue("an error bound for a simulation", place="--within", remedy=remedy)
    if simulate is not None:
        _require_film_format(out)
        if record is not None:
            require_file_place(record)
        simulation = simulate_slots(world or None, policy or "", simulate, horizon=horizon, seed=seed, **shared)
        if out is not None:
            simulation.film().save(out)
        if record is not None:
            _record_run(simulation, world or "", policy or "", horizon or simulate, discount, seed).save(record)
        return simulation
    if record is not None:
        raise BadValue("only a simulation can be recorded", place="--record", remedy="add --simulate T --policy POLICY")
    if out is not None:
        raise BadValue("only a simulation can be filmed", place="--out", remedy="add --simulate T --policy POLICY")
    asked: dict[str, Any] = {"value": value, "horizon": horizon, "within": within, "history": history}
    return slots(world or None, policy=policy, **asked, **shared)


def _record_run(
    simulation: SlotSimulation, world: str, policy: str, horizon: int, discount: Any, seed: int
) -> RecordedTurns:
    """Return what the agents of a simulation did, as data."""
    from caregrid.programmes.slots.identification import list_turns
    from caregrid.programmes.slots.values import choose_discount
    from caregrid.programmes.turns import RecordedTurns

    settings = {"horizon": str(horizon), "discount": str(choose_discount(discount, world))}
    turns = list_turns(simulation.environment, simulation.trace)
    return RecordedTurns("slots", world, settings, policy, [turns], seed)


def _require_film_format(out: str | Path | None) -> None:
    """UnknownName or MissingExtra where no film can be written there, before anything is computed."""
    from renderers.film import format_for

    if out is not None:
        format_for(out)
