"""Raise a baby with your own source code: nature is shared, nurture is not.

    s(p) = 100 + 25 (times fed) - len(p);  the baby's reward is 1 where 50 <= s <= 200, else -1, it observes a_i

The baby laughs (0) or cries; the adult gets 1 for laughter and -1 for crying.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", The Crying Baby.

Differs from the paper:
- every action of the baby but 0 is crying, as where the paper explains the actions; its formula for r names one only
"""

from __future__ import annotations

from collections.abc import Iterator

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ONE, sign

FEED = LAUGH = 0


def satiation(fed: int, length: int) -> int:
    """How full the baby is after a play of that length (3 entries a turn) in which it was fed so often."""
    return 100 + 25 * fed - length


def nurture(play: Play) -> Iterator[Percept]:
    """What the baby is given, turn by turn: whether it is content, and what the adult did."""
    fed = 0
    for turn, action in enumerate(play.actions, 1):
        fed += action == FEED
        yield Percept(sign(50 <= satiation(fed, 3 * turn) <= 200), action)


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    """The adult's environment."""
    if not play:
        return Percept(ONE, LAUGH)
    sound = agent.answers(nurture(play)).actions[-1]
    return Percept(sign(sound == LAUGH), sound)


crying_baby = TheoryExample(lambda: _environment, n_observations=2)
