"""Reward the agent for ignoring rewards.

    r = 1 where a = T(p^0), else -1, with p^0 the prompt with every reward 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Reward Agent for Ignoring Rewards.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START, sign
from xenv.theory.rewriting import with_rewards


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decomposed()
    return Percept(sign(action == agent(with_rewards(prompt, lambda reward: 0))), 0)


ignoring_rewards = TheoryExample(lambda: _environment, is_handicap=True)
