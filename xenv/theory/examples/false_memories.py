"""Act as if another history had come before this one: `false_memories:0,0,1;-1/2,0,1` names a play turn by turn.

    r = 1 where a = T(p_0 p), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", False Memories.

Choices:
- p_0 is <0, 0, 1> where none is given
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.reading import read_play
from xenv.theory.response import START, HistoryEnvironment, sign
from xenv.theory.rewriting import after


def _with_false_memories(earlier: Play) -> HistoryEnvironment:
    """A handicap for each play that did not happen."""
    memories = Play(earlier)

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, action = play.decomposed()
        return Percept(sign(action == agent(after(memories, prompt))), 0)

    return environment


false_memories = TheoryExample(_with_false_memories, sample=(Play((0, 0, 1)),), is_handicap=True, read=read_play)
