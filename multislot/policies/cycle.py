"""Some actions in turn, by the length of the history: "cycle:A,B,C"."""

from __future__ import annotations

from multislot.policy import PolicyContext, SlotPolicy, parse_action, time_step
from multislot.worlds.environment import AgentHistory, Label


class CyclePolicy(SlotPolicy):
    """The policy that repeats a list of actions. UnknownName."""

    example = "0,1"

    def __init__(self, context: PolicyContext, argument: str = "") -> None:
        super().__init__(context, argument)
        self.actions = [parse_action(word.strip(), context, "policy 'cycle'") for word in argument.split(",")]

    def act(self, history: AgentHistory) -> Label:
        """The action whose turn it is."""
        return self.actions[(time_step(history) - 1) % len(self.actions)]
