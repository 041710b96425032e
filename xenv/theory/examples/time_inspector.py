"""Be quick: computing an action may take so many steps a turn: `time_inspector:15`.

    r = 1 where the steps of T(p) < limit (n + 1), else -1, with n + 1 the percepts in p; a step is a line of Python

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
after Incentive to Incentivize ("how many steps ... they use to compute each action"). The limit of 15 is the battery's.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.reading import read_natural
from xenv.theory.response import START, HistoryEnvironment, sign


def _time_inspector(limit: int) -> HistoryEnvironment:
    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, _ = play.decomposed()
        return Percept(sign(agent.work(prompt).steps < limit * len(prompt.rewards)), 0)

    return environment


time_inspector = TheoryExample(_time_inspector, sample=(15,), is_handicap=True, read=read_natural)
