"""The agent that is optimal for a future: "optimal:cpy", or the future by itself; it plans anew at every history."""

from __future__ import annotations

from engine.errors import BadValue, argument
from multislot.futures import named_future
from multislot.planning.evaluate import evaluate
from multislot.policy import PolicyContext, SlotPolicy, time_step
from multislot.worlds.environment import AgentHistory, Label


class OptimalPolicy(SlotPolicy):
    """The policy that maximises the value for a future until the last time step that counts; actions are remembered."""

    example = "cpy"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.future = named_future(argument)
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
