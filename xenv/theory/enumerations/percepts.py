"""The bijection o <-> (r, o) between observations and percepts: one number shows a whole percept.

    o^ = (q_i, j)  with  o <-> (i, j)  Cantor's pairing and  q_0, q_1, ...  the rationals in their sequence

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Reward Agent for Self-Inserting.
"""

from __future__ import annotations

from xenv.theory.enumerations.pairs import paired, unpaired
from xenv.theory.enumerations.rationals import place_of_rational, rational_at
from xenv.theory.histories import Percept


def percept_at(number: int) -> Percept:
    """o^, the percept that an observation shows."""
    place, observation = unpaired(number)
    return Percept(rational_at(place), observation)


def number_of_percept(percept: Percept) -> int:
    """The observation that shows a percept; BadValue where it is too long a number."""
    return paired(place_of_rational(percept.reward), percept.observation)
