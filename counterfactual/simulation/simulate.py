"""Simulate an agent in the real world: at every step it plans anew and takes an action that is optimal in its plan.

`score` is the value of the first plan; `real_return` what the agent collects in the real world, under the functions in
force. They are equal for ITF with perfect knowledge; ITC plans with the function of the present, and acts on after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from counterfactual.columns import take
from counterfactual.planning.plan import Plan
from counterfactual.planning_agent import PlanningAgent
from counterfactual.simulation.real_world import RealWorld, glyphs
from counterfactual.simulation.traces import Traces, collect_traces
from counterfactual.terminal_world import TerminalWorld, with_effort
from counterfactual.world_rows import WorldRows, rows_at_once
from engine.errors import BadValue

ROWS_AT_ONCE = 100
PlannedNode: TypeAlias = tuple[int, int]
PlannedSteps: TypeAlias = dict[str, frozenset[PlannedNode]]


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
    return _simulations(real_world, world.horizon, lambda plan: [plan.n_states])[0]


def simulate_rows(worlds: Sequence[TerminalWorld[Any]], agent: PlanningAgent) -> list[Simulation]:
    """`simulate` of an agent in many worlds; those that differ in their `row_parameters` alone are planned at once.

    The results are those of `simulate`, to the last digit, in the order of the worlds.
    """
    found: dict[int, Simulation] = {}
    for places in rows_at_once(worlds, ROWS_AT_ONCE):
        rows = [worlds[place] for place in places]
        found.update(zip(places, _of_rows(rows, agent) or [simulate(world, agent) for world in rows], strict=True))
    return [found[place] for place in range(len(worlds))]


def _of_rows(worlds: Sequence[TerminalWorld[Any]], agent: PlanningAgent) -> list[Simulation]:
    """The simulations of worlds of one kind; none where they are too much work at once."""
    if len(worlds) == 1:
        return []
    rows = with_effort(WorldRows(worlds=tuple(worlds)), worlds[0].effort)

    def planned_states(plan: Plan) -> list[int]:
        counts = [np.bincount(layer.states.x.row, minlength=len(worlds)) for layer in plan.layers[:-1]]
        states: list[int] = np.sum(counts, axis=0).tolist()
        return states

    try:
        return _simulations(RealWorld(rows, agent), rows.horizon, planned_states)
    except BadValue:
        return []


def _simulations(real_world: RealWorld, horizon: int, planned_states: Callable[[Plan], list[int]]) -> list[Simulation]:
    """The simulations from each initial state. planned_states: the first plan -> how many of its states each has."""
    starts = real_world.starts()
    returns, presents = real_world.expected_returns(starts), real_world.plans(starts)
    plan, states = presents[0].plan, [present.state for present in presents]
    planned = planned_successors(plan, 1, states)
    return [
        Simulation(
            score,
            real_return,
            collect_traces(start, real_world.successors, horizon),
            collect_traces((1, state), planned.__getitem__, horizon),
            visited,
        )
        for start, state, score, real_return, visited in zip(
            starts, states, plan.values(1, states), returns, planned_states(plan), strict=True
        )
    ]


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
    successors = planned_successors(plan, step, [state])
    return collect_traces((step, state), successors.__getitem__, plan.world.learned.horizon + 1 - step)


def planned_successors(plan: Plan, step: int, states: Sequence[int]) -> dict[PlannedNode, PlannedSteps]:
    """What the optimal traces of a plan may write next, from states of one step on.

    By (step, state): what is written -> the (step, state) that it may lead to.
    """
    world, found = plan.world.learned, dict[PlannedNode, PlannedSteps]()
    for now in range(step, world.horizon + 1):
        optimal = plan.all_optimal(now, np.array(states))
        pairs = [(s, action) for s, actions in zip(states, optimal, strict=True) for action in actions]
        transitions = plan.all_transitions(now, pairs)
        edges = [(s, a, t.successor) for (s, a), outcomes in zip(pairs, transitions, strict=True) for t in outcomes]
        before, _, after = np.array(edges).T
        x, next_x = take(plan.layer(now).states.x, before), take(plan.layer(now + 1).states.x, after)
        updated = np.broadcast_to(world.updates(now, x, next_x), len(edges)).tolist()
        steps: dict[int, dict[str, set[PlannedNode]]] = {s: {} for s in states}
        for (s, action, successor), new in zip(edges, updated, strict=True):
            steps[s].setdefault(glyphs(world.actions[action], new), set()).add((now + 1, successor))
        found.update(
            ((now, s), {written: frozenset(nodes) for written, nodes in of_state.items()})
            for s, of_state in steps.items()
        )
        states = list(dict.fromkeys(successor for _, _, successor in edges))
    return found
