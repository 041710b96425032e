"""One action at every history: "always:ACTION"."""

from __future__ import annotations

from multislot.planning.planner import HistoryPolicy
from multislot.policy import PolicyContext, parse_action


def always(argument: str, setting: PolicyContext) -> HistoryPolicy:
    """The policy of one action."""
    action = parse_action(argument, setting, "always")
    return lambda history: action
