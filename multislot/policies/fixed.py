"""Policies that do not plan: one action always, some actions in turn, or an action drawn from the history itself.

Each is a pure function of the history, a(h); all but `random` depend on its length alone.
"""

from __future__ import annotations

from engine.errors import BadValue
from engine.plain_values import parse_rational
from engine.randomness.counter_based import randrange, split
from multislot.policies import PolicyContext, SlotPolicy, parse_action, time_step
from multislot.worlds.environment import AgentHistory, Label

__all__ = ["Always", "Cycle", "Random"]


class Always(SlotPolicy):
    """One action at every history: "always:ACTION".

    Raises UnknownName where the environment has no such action.
    """

    example = "0"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.action = parse_action(argument, context, "policy 'always'")

    def act(self, history: AgentHistory) -> Label:
        """Return the action."""
        return self.action


class Cycle(SlotPolicy):
    """Some actions in turn, by the length of the history: "cycle:A,B,C".

    Raises UnknownName where the environment lacks one of them.
    """

    example = "0,1"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.actions = [parse_action(word.strip(), context, "policy 'cycle'") for word in argument.split(",")]

    def act(self, history: AgentHistory) -> Label:
        """Return the action whose turn it is."""
        return self.actions[(time_step(history) - 1) % len(self.actions)]


class Random(SlotPolicy):
    """An action drawn from the history itself: "random:SEED"; two agents with equal histories still do the same.

    The seed is 0 by default. Raises BadValue for a seed that is not a number.
    """

    example = "7"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        if argument and not argument.isdecimal():
            raise BadValue(f"seed '{argument}' is not a number", place="policy 'random'", remedy="write 'random:0'")
        self.seed = int(parse_rational(argument or 0, "seed", "policy 'random'"))
        self.actions = context.mixture.actions

    def act(self, history: AgentHistory) -> Label:
        """Return the action drawn for this history."""
        return self.actions[randrange(len(self.actions), split(self.seed, repr(history)), len(history))]
