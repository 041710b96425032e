"""Act as if everything had happened in reverse.

    r = 1 where a_n = T(r_n, o_n, a_{n-1}, ..., a_0, r_0, o_0), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Backward Consciousness.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START, sign
from xenv.theory.rewriting import backward


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decomposed()
    return Percept(sign(action == agent(backward(prompt))), 0)


backward_consciousness = TheoryExample(lambda: _environment, is_handicap=True)
