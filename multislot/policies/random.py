"""An action drawn from the history itself: "random:SEED"; two agents with equal histories still do the same."""

from __future__ import annotations

from engine.errors import BadValue
from engine.limits.exact_numbers import parse_rational
from engine.randomness.counter_based import randrange, split
from multislot.policy import PolicyContext, SlotPolicy
from multislot.worlds.environment import AgentHistory, Label


class RandomPolicy(SlotPolicy):
    """The policy whose choices are fixed by the seed (by default 0) and the history. BadValue."""

    example = "7"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        if argument and not argument.isdecimal():
            raise BadValue(f"seed '{argument}' is not a number", place="policy 'random'", remedy="write 'random:0'")
        self.seed, self.actions = int(parse_rational(argument or 0, "seed", "policy 'random'")), context.mixture.actions

    def act(self, history: AgentHistory) -> Label:
        """The action drawn for this history."""
        return self.actions[randrange(len(self.actions), split(self.seed, repr(history)), len(history))]
