"""Raise a baby with your own source code: nature is shared, nurture is not.

    s(p) = 100 + 25 (times fed) - len(p);  the baby's reward is 1 where 50 <= s <= 200, else -1, it observes a_i

The baby laughs (0) or cries; the adult gets 1 for laughter and -1 for crying.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, Percept

FEED = LAUGH = 0


def satiation(play: History) -> int:
    """How full the baby is after a play."""
    fed: int = play[2::3].count(FEED)
    return 100 + 25 * fed - len(play)


def _environment(agent: HistoryAgent, play: History) -> Percept:
    """The adult's environment."""
    if not play:
        return Percept(1.0, LAUGH)
    childhood: History = ()
    for end in range(3, len(play) + 1, 3):
        content = 1.0 if 50 <= satiation(play[:end]) <= 200 else -1.0
        childhood = (*childhood, content, play[end - 1])
        childhood = (*childhood, agent(childhood))
    cry = childhood[-1]
    return Percept(1.0 if cry == LAUGH else -1.0, cry)


crying_baby = TheoryExample(lambda: _environment)
