"""The canonical enumeration p_0, p_1, ... of all non-empty plays, without repetition.

    p_n = s (r, o) a   with  n <-> (i, j),  j <-> (x, a),  x <-> (r, o),   s = () where i = 0, else p_{i-1}

All three are bijections, Cantor's pairing twice and that of the percepts, hence so is n <-> p_n; i <= n makes it end.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Incentivizing Self-recognition ("a canonical computable enumeration", which it leaves open).
"""

from __future__ import annotations

from xenv.theory.enumerations.pairs import paired, unpaired
from xenv.theory.enumerations.percepts import number_of_percept, percept_at
from xenv.theory.histories import Percept, Play, PlayedTurn
from xenv.theory.numbers import natural


def play_at(number: int) -> Play:
    """p_n."""
    backward: list[PlayedTurn] = []
    earlier = number + 1
    while earlier:
        earlier, turn = unpaired(earlier - 1)
        percept, action = unpaired(turn)
        backward.append(PlayedTurn(*percept_at(percept), action))
    return Play(entry for turn in reversed(backward) for entry in turn)


def number_of_play(play: Play) -> int:
    """The n with p_n the play, which is not empty; BadValue where it is too long a number, as for long plays."""
    earlier = 0
    for reward, observation, action in play.turns:
        turn = paired(number_of_percept(Percept(reward, observation)), action)
        earlier = 1 + natural(paired(earlier, turn), "the number of the play")
    return natural(earlier - 1, "the number of the empty play")
