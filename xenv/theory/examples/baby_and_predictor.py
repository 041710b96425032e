"""Live with a copy of yourself: raise it as a baby, or be predicted by it, as in Newcomb's problem.

    baby:       s(p) = 100 + 25 (times fed) - len(p);  its reward is 1 where 50 <= s <= 200, else -1, it observes a_i
    predictor:  r = (1 000 000 where T(p) = 0, else 0) + (1 000 where a > 0)

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", The Crying Baby;
Alexander et al. 2021, Example 7; R. Nozick, "Newcomb's problem and two principles of choice", 1969.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import ONE, START, TheoryExample, sign
from xenv.theory.histories import Percept, Play

__all__ = ["crying_baby", "newcomb"]

FEED = LAUGH = 0


def compute_satiation(fed: int, length: int) -> int:
    """Return how full the baby is after a play of that length (3 entries a turn) in which it was fed so often."""
    return 100 + 25 * fed - length


def nurture(play: Play) -> Iterator[Percept]:
    """Yield what the baby is given, turn by turn: whether it is content, and what the adult did."""
    fed = 0
    for turn, action in enumerate(play.actions, 1):
        fed += action == FEED
        yield Percept(sign(50 <= compute_satiation(fed, 3 * turn) <= 200), action)


def _raise_baby(agent: HistoryAgent, play: Play) -> Percept:
    """Return the adult's environment."""
    if not play:
        return Percept(ONE, LAUGH)
    sound = agent.answers(nurture(play)).actions[-1]
    return Percept(sign(sound == LAUGH), sound)


crying_baby = TheoryExample(lambda: _raise_baby, n_observations=2)
"""Raise a baby with your own source code: nature is shared, nurture is not.

    s(p) = 100 + 25 (times fed) - len(p);  the baby's reward is 1 where 50 <= s <= 200, else -1, it observes a_i

The baby laughs (0) or cries; the adult gets 1 for laughter and -1 for crying.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", The Crying Baby.

Differs from the paper:
- every action of the baby but 0 is crying, as where the paper explains the actions; its formula for r names one only
"""

OPAQUE_ALONE = 0
OPAQUE, TRANSPARENT = Fraction(1_000_000), Fraction(1_000)


def _fill_boxes(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decompose()
    opaque = OPAQUE if agent(prompt) == OPAQUE_ALONE else Fraction(0)
    return Percept(opaque if action == OPAQUE_ALONE else opaque + TRANSPARENT, 0)


newcomb = TheoryExample(lambda: _fill_boxes, is_merciful=True)
"""Newcomb's problem: the opaque box holds a million where you would take it alone.

    r = (1 000 000 where T(p) = 0, else 0) + (1 000 where a > 0)     0 takes the opaque box, 1 and more take both

The predictor predicts by running the agent on the prompt that it really saw.
Alexander et al. 2021, Example 7; R. Nozick, "Newcomb's problem and two principles of choice", 1969.
"""
