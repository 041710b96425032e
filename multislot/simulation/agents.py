"""Agents as memories: running one on an observation gives an action and the memory that is left, which may be another.

    <a_t, m_tc> = m_{t-1}(o_{t-1})

`Memory` is the general, possibly self-modifying agent; `HistoryAgent` remembers its history and follows one policy.
Reference: The Multi-slot Framework, Definitions 1 and 8.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

from multislot.worlds.environment import AgentHistory, HistoryPolicy, Label


class Memory(Protocol):
    """The content of an occupied slot."""

    def run(self, observation: Label | None) -> tuple[Label, Memory]:
        """The action, and the memory after it; the observation is None at the first step."""
        ...


@dataclass(frozen=True)
class HistoryBasedAgent:
    """Definition 8: a history (with the action last taken, whose observation is still to come) and a policy."""

    policy: HistoryPolicy
    history: AgentHistory = ()
    acted: tuple[Label, ...] = ()

    def run(self, observation: Label | None) -> tuple[Label, HistoryBasedAgent]:
        """Complete the history with the observation and ask the policy."""
        history = self.history
        if self.acted and observation is not None:
            history = (*history, (self.acted[0], observation))
        action = self.policy(history)
        return action, HistoryBasedAgent(self.policy, history, (action,))

    def __deepcopy__(self, memo: dict[int, Any]) -> HistoryBasedAgent:
        """A copy with its own policy; histories cannot change and are shared."""
        return HistoryBasedAgent(deepcopy(self.policy, memo), self.history, self.acted)
