"""Act as if another history had come before this one.

    r = 1 where a = T(p_0 p), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept, sign


def _with_false_memories(earlier: History) -> HistoryEnvironment:
    """A handicap for each play that did not happen."""

    def environment(agent: HistoryAgent, play: History) -> Percept:
        if not play:
            return Percept(0.0, 0)
        *prompt, action = play
        return Percept(sign(action == agent((*earlier, *prompt))), 0)

    return environment


false_memories = TheoryExample(_with_false_memories, sample=((0.0, 0, 1),), is_handicap=True)
