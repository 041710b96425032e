"""Some actions in turn, by the length of the history: "cycle:A,B,C"."""

from __future__ import annotations

from multislot.planning.planner import HistoryPolicy
from multislot.policy import PolicyContext, parse_action


def cycle(argument: str, setting: PolicyContext) -> HistoryPolicy:
    """The policy that walks round a list of actions."""
    turns = [parse_action(word.strip(), setting, "cycle") for word in argument.split(",")]
    return lambda history: turns[len(history) % len(turns)]
