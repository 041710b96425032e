"""What counts as an agent of the theory: a `HistoryAgent`, or a function from prompts to actions."""

from __future__ import annotations

from collections.abc import Callable

from xenv.theory.agents.function_agent import FunctionAgent
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Prompt


def as_agent(agent: HistoryAgent | Callable[[Prompt], int]) -> HistoryAgent:
    """A `HistoryAgent` as it is, a function as one; ContractBroken for anything else."""
    return agent if isinstance(agent, HistoryAgent) else FunctionAgent(agent)
