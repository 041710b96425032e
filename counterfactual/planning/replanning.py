"""Planning anew at every real step, from the present state and signal, with plans kept while they still hold.

A plan made for the same signal at an earlier step contains every later state that its world can reach; by the
principle of optimality what it says there is what a plan made there would say. Where it does not contain the present,
a new plan is made. An agent that knows the present step plans anew at every one. An agent that has made itself another
one plans as that one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterfactual.columns import as_int, one_state
from counterfactual.planning.future_selves import successor_of
from counterfactual.planning.plan import Plan
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import TerminalWorld


class PresentPlan(NamedTuple):
    """A plan for the present, and the index of the present state in it."""

    plan: Plan
    state: int


class Replanner:
    """An agent at work.

    agent: makes the planning world of each signal. learned: what the agent knows of the world.
    """

    def __init__(self, agent: PlanningAgent, learned: TerminalWorld[Any]) -> None:
        self._agent, self._learned = agent, learned
        self._plans: dict[tuple[int, int], Plan] = {}

    def plan_for(self, step: int, x: Any, signal: int) -> PresentPlan:
        """The plan to act on at a step, given X_t and I_t as plain numbers."""
        key = as_int(self._learned.self_of(one_state(x))), signal
        plan = self._plans.get(key)
        holds = plan is not None and plan.world.present in (None, step)
        state = plan.find_one(step, plan.world.state(x, signal)) if plan is not None and holds else -1
        if plan is None or state < 0:
            world = self._planning_world(*key, step)
            plan = self._plans[key] = Plan(world, step, world.state(x, signal))
            state = 0
        return PresentPlan(plan, state)

    def _planning_world(self, index: int, signal: int, step: int) -> PlanningWorld:
        world = self._agent(self._learned, signal, step)
        return world if index == self._learned.self_index else successor_of(world, index, step) or world

    def actions(self, step: int, x: Any, signal: int) -> list[int]:
        """All actions that are optimal in the plan for this present."""
        plan, state = self.plan_for(step, x, signal)
        return plan.optimal(step, state)
