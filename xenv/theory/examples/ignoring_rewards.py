"""Reward the agent for ignoring rewards.

    r = 1 where a = T(p^0), else -1, with p^0 the prompt with every reward 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, Percept, sign, with_rewards


def _environment(agent: HistoryAgent, play: History) -> Percept:
    if not play:
        return Percept(0.0, 0)
    *prompt, action = play
    return Percept(sign(action == agent(with_rewards(tuple(prompt), lambda reward: 0.0))), 0)


ignoring_rewards = TheoryExample(lambda: _environment, is_handicap=True)
