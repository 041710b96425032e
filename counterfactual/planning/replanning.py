"""Planning anew at every real step, from the present state and signal, with plans kept while they still hold.

A plan made for the same signal at an earlier step contains every later state that its world can reach; by the
principle of optimality what it says there is what a plan made there would say. Where it does not contain the present,
a new plan is made. An agent that knows the present step plans anew at every one. An agent that has made itself another
one plans as that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, as_column, as_columns, take
from counterfactual.planning.future_selves import find_successor_world
from counterfactual.planning.layers import IndexColumn
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import PlanningWorld
from counterfactual.worlds import TerminalWorld


class PresentPlan(NamedTuple):
    """A plan for the present, and the index of the present state in it."""

    plan: Plan
    state: int


class Replanner:
    """An agent that plans anew at every step.

    agent: makes the planning world of each signal. learned: what the agent has learned of the world.
    """

    def __init__(self, agent: PlanningAgent, learned: TerminalWorld[Any]) -> None:
        self._agent = PlanningAgent.accept(agent)
        self._learned = learned
        self._plans: dict[tuple[int, int], list[Plan]] = {}

    def find_plan(self, step: int, x: Any, signal: int) -> PresentPlan:
        """Find the plan to act on at a step; X_t and I_t are plain numbers."""
        return self.find_plans(step, as_columns(x), np.array([signal]))[0]

    def find_plans(self, step: int, x: Any, signal: Column) -> list[PresentPlan]:
        """Find the plans to act on at a step in n states, whose fields are columns."""
        found: dict[int, PresentPlan] = {}
        for plan, rows, states in self._locate_states(step, x, signal):
            found.update(zip(rows.tolist(), (PresentPlan(plan, state) for state in states.tolist()), strict=True))
        return [found[row] for row in range(len(signal))]

    def list_optimal_actions(self, step: int, x: Any, signal: int) -> list[int]:
        """List the actions that are optimal in the plan for a present whose fields are plain numbers."""
        optimal = self.mark_optimal_actions(step, as_columns(x), np.array([signal]))
        return [int(action) for action in np.flatnonzero(optimal[0])]

    def mark_optimal_actions(self, step: int, x: Any, signal: Column) -> NDArray[np.bool_]:
        """Mark, bool[n, A], the actions that are optimal in the plans for n presents, whose fields are columns."""
        optimal = np.zeros((len(signal), len(self._learned.actions)), dtype=bool)
        for plan, rows, states in self._locate_states(step, x, signal):
            optimal[rows] = plan.mark_optimal_actions(step, states)
        return optimal

    def _locate_states(self, step: int, x: Any, signal: Column) -> Iterator[tuple[Plan, IndexColumn, IndexColumn]]:
        """Plans, the rows whose states they contain, and where: plans that still hold, and new ones for the rest."""
        selves = as_column(self._learned.self_of(x), len(signal))
        for key in sorted(set(zip(selves.tolist(), signal.tolist(), strict=True))):
            rows = np.flatnonzero((selves == key[0]) & (signal == key[1]))
            plans = [plan for plan in self._plans.get(key, []) if plan.world.present in (None, step)]
            for plan in plans:
                states = plan.find(step, plan.world.state(take(x, rows), signal[rows]))
                inside = states >= 0
                yield plan, rows[inside], states[inside]
                rows = rows[~inside]
            if len(rows):
                world = self._make_planning_world(*key, step)
                start = world.state(take(x, rows), signal[rows])
                plans.append(Plan(world, step, start))
                yield plans[-1], rows, plans[-1].find(step, start)
            self._plans[key] = plans

    def _make_planning_world(self, index: int, signal: int, step: int) -> PlanningWorld:
        world = self._agent(self._learned, signal, step)
        return world if index == self._learned.self_index else find_successor_world(world, index, step) or world
