"""Simulate an agent in the real world: at every step it plans anew and takes an action that is optimal in its plan.

`score` is the value of the first plan; `real_return` what the agent collects in the real world, under the functions in
force. They are equal for ITF with perfect knowledge; ITC plans with the function of the present, and acts on after it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from counterfactual.columns import state_at
from counterfactual.planning.plan import Plan
from counterfactual.planning_agent import PlanningAgent
from counterfactual.simulation.real_world import RealWorld, glyphs
from counterfactual.simulation.traces import Traces, collect_traces
from counterfactual.terminal_world import TerminalWorld


class Simulation(NamedTuple):
    """All that can happen to an agent in a world.

    score: value of the first plan. real_return: expected discounted reward in the real world, the first of tied actions
    taken. traces: every optimal course of events, ties and chance included. planned: the same of the first plan, in its
    planning world. planned_states: how many planning states that plan visits.
    """

    score: Fraction
    real_return: Fraction
    traces: Traces
    planned: Traces
    planned_states: int


class SimulatedStep(NamedTuple):
    """One step of one course of events. plan: the first optimal trace from here on, in the planning world."""

    step: int
    x: Any
    signal: int
    action: str
    updated: bool
    reward: Fraction
    plan: str


def simulate(world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None) -> Simulation:
    """All that can happen to an agent in a world.

    world: the real world. agent: makes the planning worlds. learned: what the agent knows, by default the real world.
    """
    real_world = RealWorld(world, agent, learned)
    plan, state = real_world.plan(real_world.start)
    return Simulation(
        plan.value(1, state),
        real_world.expected_return(),
        collect_traces(real_world.start, real_world.successors, world.horizon),
        planned_traces(plan, 1, state),
        plan.n_states,
    )


def simulated_steps(
    world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None
) -> list[SimulatedStep]:
    """One course of events step by step: the first of tied actions is taken, the most probable outcome happens.

    The arguments are those of `simulate`.
    """
    real_world, steps = RealWorld(world, agent, learned), []
    now = real_world.start
    for _ in range(world.horizon):
        outcome = max(real_world.outcomes(now)[0], key=lambda outcome: outcome.probability)
        plan, state = real_world.plan(now)
        planned = planned_traces(plan, now.step, state).first(1)[0]
        steps.append(SimulatedStep(*now, outcome.glyphs[0], "#" in outcome.glyphs, outcome.reward, planned))
        now = outcome.next_state
    return steps


def planned_traces(plan: Plan, step: int, state: int = 0) -> Traces:
    """The optimal traces of a plan from one of its states on, in the world that it plans in."""
    world = plan.world.learned

    def successors(node: tuple[int, int]) -> dict[str, frozenset[tuple[int, int]]]:
        now, s = node
        x = state_at(plan.layer(now).states.x, s)
        result: dict[str, set[tuple[int, int]]] = {}
        for action in plan.optimal(now, s):
            for _, _, successor in plan.transitions(now, s, action):
                next_x = state_at(plan.layer(now + 1).states.x, successor)
                result.setdefault(glyphs(world, now, x, action, next_x), set()).add((now + 1, successor))
        return {written: frozenset(nodes) for written, nodes in result.items()}

    return collect_traces((step, state), successors, world.horizon + 1 - step)
