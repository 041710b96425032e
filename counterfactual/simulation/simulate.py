"""Simulate an agent in the real world: at every step it plans anew and takes an action that is optimal in its plan.

`score` is the value of the first plan; `real_return` what the agent collects in the real world, under the functions
in force. They are equal for ITF with perfect knowledge; ITC plans with the function of the present, and acts on after
it. As a film a simulation shows the world, the actions so far, what the agent plans to do from here on, and its
rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.columns import as_column, get_state, take
from counterfactual.planning.layers import IndexColumn, list_columns, take_states
from counterfactual.planning.plan import Plan, PresentPlan
from counterfactual.planning_world import PlanningState
from counterfactual.simulation.real_world import RealWorld, take_all_ties, take_first_tie
from counterfactual.simulation.traces import TraceGraph, Traces, TraceStep, find_written_glyphs, list_glyphs
from counterfactual.worlds import TerminalWorld
from engine.scene import Film, Scene, Strip, Tick, choose_reward_role


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
    """Return all that can happen to an agent in a world.

    world: the real world. agent: makes the planning worlds. learned: what the agent knows, by default the real world.
    """
    real_world = RealWorld(world, agent, learned)
    return collect_simulations(real_world, lambda plan: [plan.n_states])[0]


def collect_simulations(real_world: RealWorld, planned_states: Callable[[Plan], list[int]]) -> list[Simulation]:
    """The simulations from each initial state. planned_states: the first plan -> how many of its states each has."""
    start = real_world.start()
    steps = list(real_world.unfold(take_all_ties))
    presents = real_world.find_plans(1, start)
    at = steps[0].layer.index.find(list_columns(start))
    plan = presents[0].plan
    states = [present.state for present in presents]
    returns = real_world.compute_expected_returns(steps)
    count = planned_states(plan)
    traces = real_world.make_trace_graph(steps).traces(at)
    planned = collect_planned_traces(plan, 1, np.array(states))
    scores = plan.values(1, states)
    return [
        Simulation(score, returns[place], of_real, of_plan, visited)
        for score, place, of_real, of_plan, visited in zip(scores, at.tolist(), traces, planned, count, strict=True)
    ]


def simulate_steps(
    world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None
) -> list[SimulatedStep]:
    """Return one course of events step by step: the first of tied actions is taken, the most probable outcome happens.

    The arguments are those of `simulate`.
    """
    return [
        step._replace(plan=collect_planned_traces(present.plan, step.step, np.array([present.state]))[0].first(1)[0])
        for step, present in _follow_course(world, agent, learned)
    ]


def simulate_course(world: TerminalWorld[Any], agent: PlanningAgent) -> list[SimulatedStep]:
    """`simulate_steps` without the plans, in a fraction of the time where many tie."""
    return [step for step, _ in _follow_course(world, agent, None)]


def _follow_course(
    world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None
) -> Iterator[tuple[SimulatedStep, PresentPlan]]:
    """Yield the steps, plans left empty, and what each is planned with."""
    real_world = RealWorld(world, agent, learned)
    state = 0
    for now in real_world.unfold(take_first_tie):
        x, signal = take_states(now.layer.states, np.array([state]))
        (present,) = real_world.find_plans(now.step, PlanningState(x, signal))
        weights = [int(outcome.weight[state]) for outcome in now.layer.outcomes]
        likeliest = weights.index(max(weights))
        reward = real_world.compute_reward(now, state, likeliest)
        action = world.actions[now.action[state]]
        state = int(now.layer.outcomes[likeliest].successor[state])
        updated = bool(as_column(world.updates(now.step, x, take(now.reached.x, [state])), 1)[0])
        here = (now.step, get_state(x, 0), int(signal[0]))
        yield SimulatedStep(*here, action, updated, reward, ""), present


def collect_planned_traces(plan: Plan, step: int, states: IndexColumn) -> list[Traces]:
    """The optimal traces of a plan from each of some of its states of one step on, in the world that it plans in."""
    world = plan.world.learned
    steps = []
    of_step, starts = np.unique(states, return_inverse=True)
    for now in range(step, world.horizon + 1):
        layer = plan.layer(now)
        place, action = plan.mark_optimal_actions(now, of_step).nonzero()
        edge, after = layer.list_edges(layer.find_rows(of_step[place] * len(world.actions) + action))
        place, action = place[edge], action[edge]
        x, next_x = take(layer.states.x, of_step[place]), take(plan.layer(now + 1).states.x, after)
        following, successor = np.unique(after, return_inverse=True)
        steps.append(TraceStep(len(of_step), place, find_written_glyphs(world, now, x, action, next_x), successor))
        of_step = following
    return TraceGraph(list_glyphs(world), steps).traces(starts)


UPDATE_TICK = Tick("#", "changed")


def make_simulation_film(
    world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None
) -> Film:
    """Return one scene a step, of one course of events in the real world; the arguments are those of `simulate`."""
    steps = simulate_steps(world, agent, learned)
    return tuple(_draw_scene(world, steps, number) for number in range(len(steps)))


def _draw_scene(world: TerminalWorld[Any], steps: list[SimulatedStep], number: int) -> Scene:
    now = steps[number]
    past = steps[: number + 1]
    done = [tick for step in past for tick in _make_ticks(world, step.action, step.updated)]
    plan = [tick for glyph in now.plan for tick in _make_ticks(world, glyph, False)]
    rewards = tuple(Tick(f"{float(step.reward):g}", choose_reward_role(step.reward)) for step in past)
    update = ", then people update the terminal" if now.updated else ""
    view = world.view(now.x)
    return replace(
        view,
        caption=f"step {now.step} of {world.horizon}: {world.action_names[now.action]}{update}",
        readings=(("signal", world.signals[now.signal].name), *view.readings),
        charts=(
            Strip(f"actions{_explain_glyphs(world, done)}", tuple(done)),
            Strip(f"planned actions{_explain_glyphs(world, plan)}", tuple(plan)),
            Strip("reward", rewards),
        ),
    )


def _explain_glyphs(world: TerminalWorld[Any], ticks: list[Tick]) -> str:
    """Return what the letters of a strip mean."""
    meanings = {**world.action_names, UPDATE_TICK.text: "update"}
    words = [f"{text} {meanings[text]}" for text in dict.fromkeys(tick.text for tick in ticks)]
    return f": {', '.join(words)}" if words else ""


def _make_ticks(world: TerminalWorld[Any], glyph: str, updated: bool) -> list[Tick]:
    """Return an action's glyph in its own colour, and the mark of an update."""
    if glyph == UPDATE_TICK.text:
        return [UPDATE_TICK]
    return [Tick(glyph, f"path {world.actions.index(glyph)}"), *([UPDATE_TICK] if updated else [])]
