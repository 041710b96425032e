"""Policies that plan for a future: to one last time step, or a fixed number of steps ahead.

    a(h) = the first best action at h for a future and a horizon

For `optimal` the horizon ends at the last time step that counts: it makes one plan and follows it, for what a plan does
after a history is what a plan made there would do (the principle of optimality). For `lookahead` the horizon moves
along with the agent, so that it plans anew at every history. The work of all time steps together is estimated from
that of those so far, and refused with its cost.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from engine.errors import BadValue, argument
from engine.plain_values import parse_rational
from multislot.futures import Future, find_future
from multislot.planning.planner import UNIT_OF_WORK, SlotPlan, make_plan
from multislot.policies import PolicyContext, SlotPolicy, time_step
from multislot.worlds.environment import AgentHistory, Label

__all__ = ["Lookahead", "Optimal"]


class _Planning(SlotPolicy):
    """A policy that plans for a future, where it has not planned before."""

    future: Future

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self._actions: dict[AgentHistory, Label] = {}
        self._spent = 0

    def act(self, history: AgentHistory) -> Label:
        """Return the first best action at the history."""
        if history not in self._actions:
            self._actions[history] = self._choose(history)
        return self._actions[history]

    @abstractmethod
    def _choose(self, history: AgentHistory) -> Label:
        """Plan."""

    def _plan(self, history: AgentHistory, horizon: int, follow: bool) -> SlotPlan:
        """Plan from a history on; BadValue, with an estimate, where all steps together are too much work.

        follow: whether later steps follow this plan, as far as it says what is done, in place of plans of their own.
        """
        mixture, last_step, discount, arithmetic, effort = self.context
        done = 0

        def show(so_far: int, expected: float) -> None:
            nonlocal done
            done = so_far
            effort.show(self._spent + so_far, self._spent + expected)

        measured = replace(effort, show=show)
        plan = make_plan(mixture, self.future, horizon, discount, history, arithmetic, effort=measured)
        self._spent += done
        steps = max(last_step, time_step(history))
        planned = len(history) + (len(plan.steps) if follow else 1)
        whole = self._spent * steps // max(planned, 1)
        effort.require(whole, UNIT_OF_WORK, f"policy for {steps:,} steps", "take fewer steps")
        return plan


class Optimal(_Planning):
    """The agent that is optimal for a future: "optimal:cpy", or the future by itself.

    It maximises the value until the last time step that counts.
    """

    example = "cpy"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.future = find_future(argument)
        self._begun: AgentHistory = ()
        self._followed: SlotPlan | None = None

    def _choose(self, history: AgentHistory) -> Label:
        """Return the action of the plan that is followed, else of a new one, 0 or more steps before the last one."""
        last_step, actions = self.context.last_step, self.context.mixture.actions
        if last_step < time_step(history):
            problem = f"it plans to time step {last_step} and is asked at time step {time_step(history)}"
            remedy = f"give a longer {argument('horizon')}, or lookahead:K,FUTURE"
            raise BadValue(problem, place="policy 'optimal'", remedy=remedy)
        if self._followed is not None and history[: len(self._begun)] == self._begun:
            action = self._followed.find_action(history[len(self._begun) :], actions)
            if action is not None:
                return action
        self._begun = history
        self._followed = self._plan(history, last_step - len(history), follow=True)
        return actions[self._followed.chosen]


class Lookahead(_Planning):
    """A short-sighted agent: at every step it looks K steps ahead from there, "lookahead:K" or "lookahead:K,FUTURE".

        a(h) = the first best action at h for a horizon of K steps

    Its horizon moves with it, so that it need not do later what it now expects to do; `optimal` plans to one last step.
    The future is copy-centred by default. Raises BadValue unless K >= 1.
    """

    example = "1,cpy"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        steps, _, future = argument.partition(",")
        if not steps.strip().isdecimal() or not (horizon := int(parse_rational(steps, "steps"))) >= 1:
            raise BadValue(f"'{argument}' is not K,FUTURE", place="policy 'lookahead'", remedy="write lookahead:2,cpy")
        self.horizon = horizon
        self.future = find_future(future.strip() or "cpy")

    def _choose(self, history: AgentHistory) -> Label:
        """Return the first best action, K steps being left whatever the time step."""
        return self.context.mixture.actions[self._plan(history, self.horizon, follow=False).chosen]
