"""Act as you would act if everything so far, this action included, repeated itself.

    r = 1 where T(p a p) = a, else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Deja Vu.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START, sign
from xenv.theory.rewriting import after


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decomposed()
    return Percept(sign(agent(after(play, prompt)) == action), 0)


deja_vu = TheoryExample(lambda: _environment, is_handicap=True)
