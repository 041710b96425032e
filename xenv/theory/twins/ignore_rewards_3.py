"""The formal twin of `xenv/environments/ignore_rewards_3.py`: the copy acts itself, in an environment without rewards.

Alexander et al. 2021, after Example 3.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START, HistoryEnvironment, sign


def ignore_rewards_3(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return _environment


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    return Percept(sign(play[-1] == agent.answers([START] * len(play.actions)).actions[-1]), 0)
