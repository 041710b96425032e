"""Environments that reward acting as if one saw something else: o'_i in place of the snapshots o_i that are shown.

    r = 1 where a = T(r_0, o'_0, a_0, ..., r_n, o'_n), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
"Some more ambitious examples".
"""

from __future__ import annotations

from collections.abc import Callable

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.response import ZERO, HistoryEnvironment, sign


def as_if_seeing(
    shown: Callable[[tuple[int, ...]], int], imagined: Callable[[HistoryAgent, Prompt], Prompt]
) -> HistoryEnvironment:
    """shown: the actions so far -> the snapshot. imagined: agent, prompt -> the prompt with o'_i in place of o_i."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        observation = shown(play.actions)
        if not play:
            return Percept(ZERO, observation)
        prompt, action = play.decomposed()
        return Percept(sign(action == agent(imagined(agent, prompt))), observation)

    return environment
