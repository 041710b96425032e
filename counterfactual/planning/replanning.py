"""Planning anew at every real step, from the real present and its reading, with plans kept while they still hold.

A plan made for the same reading at an earlier step contains every later situation that its world can reach; by the
principle of optimality what it says there is what a plan made there would say. Where it does not contain the present,
a new plan is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterfactual.planning.plan import Plan
from counterfactual.planning_world import PlanningWorldOf
from counterfactual.world import World


class Present(NamedTuple):
    """A plan for the present and the present's number in it."""

    plan: Plan
    number: int


class Replanner:
    """An agent at work: `agent` makes the planning world of each reading, `learned` is what it knows of the world."""

    def __init__(self, agent: PlanningWorldOf, learned: World[Any]) -> None:
        self._agent, self._learned = agent, learned
        self._plans: dict[int, Plan] = {}

    def present(self, step: int, x: Any, signal: int) -> Present:
        """The plan to act on at a step, given X_t and the reading i_t as plain numbers."""
        plan = self._plans.get(signal)
        number = -1 if plan is None else plan.number(step, plan.world.situation(x, signal))
        if plan is None or number < 0:
            world = self._agent(self._learned, signal)
            plan = self._plans[signal] = Plan(world, step, world.situation(x, signal))
            number = 0
        return Present(plan, number)

    def actions(self, step: int, x: Any, signal: int) -> list[int]:
        """All actions that are optimal in the plan for this present."""
        plan, number = self.present(step, x, signal)
        return plan.optimal(step, number)
