"""What the live page of a lesson shows of agents that may be copied: their choices, by the future that counts.

An agent is asked for each future that it may count as its own; its choices are then run in a world with slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from caregrid.programmes.programme import SweepAnswer
from engine.scene import Strip, Tick
from multislot.learning import make_single_environment
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.simulation import simulate_slots
from multislot.worlds.environment import HistoryBasedEnvironment, Label, Slot
from multislot.worlds.protocol import Trace


def answer_by_future(
    world: HistoryBasedEnvironment,
    shown: HistoryBasedEnvironment,
    futures: Mapping[str, str],
    labels: tuple[Mapping[Label, str], Mapping[Label, str]],
    horizon: int,
    discount: Fraction,
) -> SweepAnswer:
    """Return the values of all first actions by future, and the slots of a run with each.

    world: in which agents plan. shown: in which their choices are run for the picture. futures: name -> as it is
    written. labels: of actions and of observations.
    """
    actions, observations = labels
    context = PolicyContext(make_single_environment(world), horizon, discount)
    strips = list[Strip]()
    numbers = dict[str, Fraction]()
    choices = list[str]()
    for future, title in futures.items():
        found = evaluate(world, future, horizon, discount)
        numbers |= {f"{title}: {actions[action]}": Fraction(value) for action, value in found.Q.items()}
        choices.append(f"{title} {actions[found.action]}")
        trace = simulate_slots(shown, make_slot_policy(future, context), horizon)
        strips += [_draw_slot(f"{title}: slot {slot}", trace, slot, observations) for slot in _list_slots(shown, trace)]
    return SweepAnswer("; ".join(choices), numbers, tuple(strips))


def _list_slots(world: HistoryBasedEnvironment, trace: Trace) -> list[Slot]:
    """Return the slots that any agent may come to from those of this run, so that empty ones are seen too."""
    reached = {slot for step in trace for slot in step.agent_set}
    for slot in tuple(reached):
        for action in world.actions:
            reached |= {target for outcome in world.law(world.start(), slot, action) for target in outcome.copies}
    return sorted(reached)


def _draw_slot(name: str, trace: Trace, slot: Slot, observations: Mapping[Label, str]) -> Strip:
    """Return what the agent on a slot observes at every time; empty where there is none."""
    ticks = []
    for step in trace:
        if slot not in step.histories:
            ticks.append(Tick("empty", "faded"))
        else:
            label = step.observations.get(slot)
            ticks.append(Tick("agent" if label is None else observations.get(label, str(label)), "path 0"))
    return Strip(name, tuple(ticks))
