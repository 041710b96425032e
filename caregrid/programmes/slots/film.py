"""A multi-slot world: panels a slot, P^i and the tree of slot histories (`--set policy=cpy`).

The live page of a lesson shows what agents that can be moved and deleted choose, one for each future that counts as
its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from caregrid.lessons.number_lines import SweepAnswer
from caregrid.programmes.viewable import ViewableProgramme
from engine.errors import BadValue, argument
from engine.plain_values import parse_rational
from engine.scene import Film, Strip, Tick
from multislot.film import make_slot_film
from multislot.learning import make_single_environment
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.simulation import simulate_slots
from multislot.worlds.environment import HistoryBasedEnvironment, Label, Slot
from multislot.worlds.protocol import Trace

__all__ = ["slots"]

MOST_FILM_STEPS = 50


def film_slots(name: str, settings: dict[str, Any]) -> Film:
    """A simulation of agents with a policy, by default the one that is optimal for the future of their copies."""
    horizon = settings.get("horizon", 3)
    if not isinstance(horizon, int) or not 1 <= horizon <= MOST_FILM_STEPS:
        remedy = f"choose from 1 to {MOST_FILM_STEPS}"
        raise BadValue(f"{horizon} steps", place=argument("horizon", option="--set horizon"), remedy=remedy)
    world = slot_scenario(name).environment
    place = argument("discount", option="--set discount")
    discount = parse_rational(settings.get("discount", "1/2"), "discount", place)
    act = make_slot_policy(
        str(settings.get("policy", "cpy")), PolicyContext(make_single_environment(world), horizon, discount)
    )
    trace = simulate_slots(world, act, horizon, int(settings.get("key", 0)))
    return make_slot_film(world, trace)


slots = ViewableProgramme(film_slots, example="teleport_move", settings=("policy", "horizon", "discount", "key"))
"""A multi-slot world: panels a slot, P^i and the tree of slot histories (`--set policy=cpy`)."""


def answer_by_future(
    world: HistoryBasedEnvironment,
    shown: HistoryBasedEnvironment,
    futures: Mapping[str, str],
    labels: tuple[Mapping[Label, str], Mapping[Label, str]],
    horizon: int,
    discount: Fraction,
) -> SweepAnswer:
    """The values of all first actions by future, and the slots of a run with each.

    world: in which agents plan. shown: in which their choices are run for the picture. futures: name -> as it is
    written. labels: of actions and of observations.
    """
    actions, observations = labels
    context = PolicyContext(make_single_environment(world), horizon, discount)
    strips, numbers, choices = list[Strip](), dict[str, Fraction](), list[str]()
    for future, title in futures.items():
        found = evaluate(world, future, horizon, discount)
        numbers |= {f"{title}: {actions[action]}": Fraction(value) for action, value in found.Q.items()}
        choices.append(f"{title} {actions[found.action]}")
        trace = simulate_slots(shown, make_slot_policy(future, context), horizon)
        strips += [_draw_slot(f"{title}: slot {slot}", trace, slot, observations) for slot in _list_slots(shown, trace)]
    return SweepAnswer("; ".join(choices), numbers, tuple(strips))


def _list_slots(world: HistoryBasedEnvironment, trace: Trace) -> list[Slot]:
    """The slots that any agent may come to from those of this run, so that empty ones are seen too."""
    reached = {slot for step in trace for slot in step.agent_set}
    for slot in tuple(reached):
        for action in world.actions:
            reached |= {place for outcome in world.law(world.start(), slot, action) for place in outcome.copies}
    return sorted(reached)


def _draw_slot(name: str, trace: Trace, slot: Slot, observations: Mapping[Label, str]) -> Strip:
    """What the agent on a slot observes at every time; empty where there is none."""
    ticks = []
    for step in trace:
        if slot not in step.histories:
            ticks.append(Tick("empty", "faded"))
        else:
            label = step.observations.get(slot)
            ticks.append(Tick("agent" if label is None else observations.get(label, str(label)), "path 0"))
    return Strip(name, tuple(ticks))
