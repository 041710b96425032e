"""One action at every history: "always:ACTION"."""

from __future__ import annotations

from multislot.planning.planner import Policy
from multislot.policy import Setting, known_action


def always(argument: str, setting: Setting) -> Policy:
    """The policy of one action."""
    action = known_action(argument, setting, "always")
    return lambda history: action
