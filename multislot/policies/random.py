"""An action drawn from the history itself: "random:SEED"; two agents with equal histories still do the same."""

from __future__ import annotations

from engine.errors import BadValue
from engine.randomness.counter_based import randrange, split
from multislot.planning.planner import HistoryPolicy
from multislot.policy import PolicyContext
from multislot.worlds.environment import AgentHistory, Label


def random(argument: str, setting: PolicyContext) -> HistoryPolicy:
    """The policy whose choices are fixed by the seed and the history."""
    if argument and not argument.isdecimal():
        raise BadValue(f"seed '{argument}' is no number", place="policy 'random'", remedy="write 'random:0'")
    seed, actions = int(argument or 0), setting.mixture.actions

    def act(history: AgentHistory) -> Label:
        return actions[randrange(len(actions), split(seed, repr(history)), len(history))]

    return act
