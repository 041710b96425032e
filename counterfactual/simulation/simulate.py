"""An agent in the real world: at every step it plans anew and takes one of the actions that are optimal in its plan.

`score` is the value of the plan that it starts with; `real_return` what it collects in reality, under the functions
in force. They are equal for ITF with perfect knowledge; ITC plans with the function of the present, and lives on.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from counterfactual.planning.plan import Plan
from counterfactual.planning.replanning import Replanner
from counterfactual.planning_world import PlanningWorldOf
from counterfactual.simulation.real_world import Reality, glyphs
from counterfactual.simulation.traces import Traces, collect
from counterfactual.world import World, row


class Life(NamedTuple):
    """score: value of the first plan. real_return: expected discounted reward in reality, the first of ties taken.

    traces: all that may happen, ties and chance included. planned: the same of the first plan, in its planning world.
    situations: how many situations that plan visits.
    """

    score: Fraction
    real_return: Fraction
    traces: Traces
    planned: Traces
    situations: int


class Moment(NamedTuple):
    """One step of one life, as it starts. plan: the first optimal trace from here on, in the planning world."""

    step: int
    x: Any
    signal: int
    action: str
    updated: bool
    reward: Fraction
    plan: str


def live(world: World[Any], agent: PlanningWorldOf, learned: World[Any] | None = None) -> Life:
    """Everything that can happen to an agent which knows `learned` (by default the truth) in `world`."""
    replanner = Replanner(agent, world if learned is None else learned)
    reality = Reality(world, replanner)
    plan, number = replanner.present(*reality.start)
    return Life(
        plan.value(1, number),
        reality.expected_return(),
        collect(reality.start, reality.ends, world.horizon),
        planned_traces(plan, 1, number),
        plan.situations,
    )


def moments(world: World[Any], agent: PlanningWorldOf, learned: World[Any] | None = None) -> list[Moment]:
    """One life step by step: the first of tied actions is taken, the likelier outcome comes."""
    replanner = Replanner(agent, world if learned is None else learned)
    reality, lived = Reality(world, replanner), []
    here = reality.start
    for _ in range(world.horizon):
        event = max(reality.possible(here)[0], key=lambda event: event.probability)
        plan, number = replanner.present(*here)
        planned = planned_traces(plan, here.step, number).first(1)[0]
        lived.append(Moment(*here, event.glyphs[0], "#" in event.glyphs, event.reward, planned))
        here = event.after
    return lived


def planned_traces(plan: Plan, step: int, number: int = 0) -> Traces:
    """The optimal traces of a plan, in the world that it plans in."""
    world = plan.world.learned

    def ends(node: tuple[int, int]) -> dict[str, frozenset[tuple[int, int]]]:
        now, s = node
        x = row(plan.layer(now).situations.x, s)
        found: dict[str, set[tuple[int, int]]] = {}
        for action in plan.optimal(now, s):
            for _, _, successor in plan.steps(now, s, action):
                after = row(plan.layer(now + 1).situations.x, successor)
                found.setdefault(glyphs(world, now, x, action, after), set()).add((now + 1, successor))
        return {written: frozenset(nodes) for written, nodes in found.items()}

    return collect((step, number), ends, world.horizon + 1 - step)
