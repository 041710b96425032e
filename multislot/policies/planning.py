"""Policies that plan anew at every history for a future: to one last time step, or a fixed number of steps ahead.

    a(h) = the first best action at h for a future and a horizon

For `optimal` the horizon ends at the last time step that counts; for `lookahead` it moves along with the agent.
"""

from __future__ import annotations

from engine.errors import BadValue, argument
from engine.plain_values import parse_rational
from multislot.futures import find_future
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, SlotPolicy, time_step
from multislot.worlds.environment import AgentHistory, Label

__all__ = ["Lookahead", "Optimal"]


class Optimal(SlotPolicy):
    """The agent that is optimal for a future: "optimal:cpy", or the future by itself; it plans anew at every history.

    It maximises the value until the last time step that counts.
    """

    example = "cpy"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.future = find_future(argument)
        self._actions: dict[AgentHistory, Label] = {}

    def act(self, history: AgentHistory) -> Label:
        """The first best action at the history, 0 or more steps before the last one."""
        if history not in self._actions:
            mixture, last_step, discount, arithmetic, effort = self.context
            if last_step < time_step(history):
                problem = f"it plans to time step {last_step} and is asked at time step {time_step(history)}"
                remedy = f"give a longer {argument('horizon')}, or lookahead:K,FUTURE"
                raise BadValue(problem, place="policy 'optimal'", remedy=remedy)
            horizon = last_step - len(history)
            chosen = evaluate(mixture, self.future, horizon, discount, history, arithmetic, effort=effort)
            self._actions[history] = chosen.action
        return self._actions[history]


class Lookahead(SlotPolicy):
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
        self._actions: dict[AgentHistory, Label] = {}

    def act(self, history: AgentHistory) -> Label:
        """The first best action, K steps being left whatever the time step."""
        if history not in self._actions:
            mixture, _, discount, arithmetic, effort = self.context
            chosen = evaluate(mixture, self.future, self.horizon, discount, history, arithmetic, effort=effort)
            self._actions[history] = chosen.action
        return self._actions[history]
