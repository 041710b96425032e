"""One action at every history: "always:ACTION"."""

from __future__ import annotations

from multislot.policy import PolicyContext, SlotPolicy, parse_action
from multislot.worlds.environment import AgentHistory, Label


class AlwaysPolicy(SlotPolicy):
    """The policy of one action. UnknownName."""

    example = "0"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.action = parse_action(argument, context, "policy 'always'")

    def act(self, history: AgentHistory) -> Label:
        """The action."""
        return self.action
