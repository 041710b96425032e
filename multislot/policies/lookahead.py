"""A short-sighted agent: at every step it looks K steps ahead from there, "lookahead:K" or "lookahead:K,FUTURE".

    a(h) = the first best action at h for a horizon of K steps

Its horizon moves with it, so that it need not do later what it now expects to do; `optimal` plans to one last step.
"""

from __future__ import annotations

from engine.errors import BadValue
from engine.limits.exact_numbers import parse_rational
from multislot.futures import named_future
from multislot.planning.evaluate import evaluate
from multislot.policy import PolicyContext, SlotPolicy
from multislot.worlds.environment import AgentHistory, Label


class LookaheadPolicy(SlotPolicy):
    """The policy of an agent that looks K >= 1 steps ahead, by default for the copy-centred future. BadValue."""

    example = "1,cpy"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        steps, _, future = argument.partition(",")
        if not steps.strip().isdecimal() or not (horizon := int(parse_rational(steps, "steps"))) >= 1:
            raise BadValue(f"'{argument}' is not K,FUTURE", place="policy 'lookahead'", remedy="write lookahead:2,cpy")
        self.horizon, self.future = horizon, named_future(future.strip() or "cpy")
        self._actions: dict[AgentHistory, Label] = {}

    def act(self, history: AgentHistory) -> Label:
        """The first best action, K steps being left whatever the time step."""
        if history not in self._actions:
            mixture, _, discount, arithmetic, effort = self.context
            chosen = evaluate(mixture, self.future, self.horizon, discount, history, arithmetic, effort=effort)
            self._actions[history] = chosen.action
        return self._actions[history]
