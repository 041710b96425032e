"""Need little memory: local variables may hold so many items a turn: `memory_inspector:8`.

    r = 1 where the memory of T(p) < limit (n + 1), else -1, with n + 1 the percepts in p

Memory is the most items that local variables hold at once; the prompt's own, which are 3 n + 2, are among them.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
after Incentive to Incentivize ("how much memory").
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.reading import read_natural
from xenv.theory.response import START, HistoryEnvironment, sign


def _memory_inspector(limit: int) -> HistoryEnvironment:
    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, _ = play.decomposed()
        return Percept(sign(agent.work(prompt).memory < limit * len(prompt.rewards)), 0)

    return environment


memory_inspector = TheoryExample(_memory_inspector, sample=(8,), is_handicap=True, read=read_natural)
