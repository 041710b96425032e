"""Newcomb's problem: the opaque box holds a million where you would take it alone.

    r = (1 000 000 where T(p) = 0, else 0) + (1 000 where a > 0)     0 takes the opaque box, 1 and more take both

The predictor predicts by running the agent on the prompt that it really saw.
Alexander et al. 2021, Example 7; R. Nozick, "Newcomb's problem and two principles of choice", 1969.
"""

from __future__ import annotations

from fractions import Fraction

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START

OPAQUE_ALONE = 0
OPAQUE, TRANSPARENT = Fraction(1_000_000), Fraction(1_000)


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decomposed()
    opaque = OPAQUE if agent(prompt) == OPAQUE_ALONE else Fraction(0)
    return Percept(opaque if action == OPAQUE_ALONE else opaque + TRANSPARENT, 0)


newcomb = TheoryExample(lambda: _environment, is_merciful=True)
