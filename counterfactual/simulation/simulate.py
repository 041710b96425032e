"""Simulate an agent in the real world: at every step it plans anew and takes an action that is optimal in its plan.

`score` is the value of the first plan; `real_return` what the agent collects in the real world, under the functions in
force. They are equal for ITF with perfect knowledge; ITC plans with the function of the present, and acts on after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from counterfactual.columns import column, state_at, take
from counterfactual.planning.layers import fields_as_columns, take_states
from counterfactual.planning.plan import Plan
from counterfactual.planning.replanning import PresentPlan
from counterfactual.planning.state_index import IndexColumn
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlanningState
from counterfactual.simulation.real_world import RealWorld, all_of_ties, first_of_ties
from counterfactual.simulation.trace_graph import TraceGraph, TraceStep, glyphs_of, written_in_step
from counterfactual.simulation.traces import Traces
from counterfactual.terminal_world import TerminalWorld, with_effort
from counterfactual.world_rows import WorldRows, rows_at_once
from engine.errors import BadValue

ROWS_AT_ONCE = 100


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
    return _simulations(real_world, lambda plan: [plan.n_states])[0]


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
        return _simulations(RealWorld(rows, agent), planned_states)
    except BadValue:
        return []


def _simulations(real_world: RealWorld, planned_states: Callable[[Plan], list[int]]) -> list[Simulation]:
    """The simulations from each initial state. planned_states: the first plan -> how many of its states each has."""
    start, steps = real_world.start(), list(real_world.steps(all_of_ties))
    presents, at = real_world.plans(1, start), steps[0].layer.index.find(fields_as_columns(start))
    plan, states = presents[0].plan, [present.state for present in presents]
    returns, count = real_world.expected_returns(steps), planned_states(plan)
    traces = real_world.trace_graph(steps).traces(at)
    planned = planned_traces(plan, 1, np.array(states))
    scores = plan.values(1, states)
    return [
        Simulation(score, returns[place], of_real, of_plan, visited)
        for score, place, of_real, of_plan, visited in zip(scores, at.tolist(), traces, planned, count, strict=True)
    ]


def simulated_steps(
    world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None
) -> list[SimulatedStep]:
    """One course of events step by step: the first of tied actions is taken, the most probable outcome happens.

    The arguments are those of `simulate`.
    """
    return [
        step._replace(plan=planned_traces(present.plan, step.step, np.array([present.state]))[0].first(1)[0])
        for step, present in _course(world, agent, learned)
    ]


def course_of_events(world: TerminalWorld[Any], agent: PlanningAgent) -> list[SimulatedStep]:
    """`simulated_steps` without the plans, in a fraction of the time where many tie."""
    return [step for step, _ in _course(world, agent, None)]


def _course(
    world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None
) -> Iterator[tuple[SimulatedStep, PresentPlan]]:
    """The steps, plans left empty, and what each is planned with."""
    real_world, state = RealWorld(world, agent, learned), 0
    for now in real_world.steps(first_of_ties):
        x, signal = take_states(now.layer.states, np.array([state]))
        (present,) = real_world.plans(now.step, PlanningState(x, signal))
        weights = [int(outcome.weight[state]) for outcome in now.layer.outcomes]
        likeliest = weights.index(max(weights))
        reward, action = real_world.exact_reward(now, state, likeliest), world.actions[now.action[state]]
        state = int(now.layer.outcomes[likeliest].successor[state])
        updated = bool(column(world.updates(now.step, x, take(now.reached.x, [state])), 1)[0])
        here = (now.step, state_at(x, 0), int(signal[0]))
        yield SimulatedStep(*here, action, updated, reward, ""), present


def planned_traces(plan: Plan, step: int, states: IndexColumn) -> list[Traces]:
    """The optimal traces of a plan from each of some of its states of one step on, in the world that it plans in."""
    world, steps = plan.world.learned, []
    of_step, starts = np.unique(states, return_inverse=True)
    for now in range(step, world.horizon + 1):
        layer = plan.layer(now)
        place, action = plan.optimal_actions(now, of_step).nonzero()
        edge, after = layer.edges(layer.rows_of(of_step[place] * len(world.actions) + action))
        place, action = place[edge], action[edge]
        x, next_x = take(layer.states.x, of_step[place]), take(plan.layer(now + 1).states.x, after)
        following, successor = np.unique(after, return_inverse=True)
        steps.append(TraceStep(len(of_step), place, written_in_step(world, now, x, action, next_x), successor))
        of_step = following
    return TraceGraph(glyphs_of(world), steps).traces(starts)
