"""Computable bijections between the natural numbers and pairs, rationals, percepts and plays; all small histories.

    pairs:      n <-> (i, j),   n = (i + j)(i + j + 1)/2 + j    (Cantor)
    rationals:  q_0 = 0,   q_{2k-1} = c_k,   q_{2k} = -c_k,   c_1, c_2, ... = 1, 1/2, 2, 1/3, 3/2, 2/3, 3, ...
    percepts:   o^ = (q_i, j)  with  o <-> (i, j): one number shows a whole percept
    plays:      p_n = s (r, o) a  with  n <-> (i, j),  j <-> (x, a),  x <-> (r, o),  s = () where i = 0, else p_{i-1}

c_k is the k-th fraction of the Calkin-Wilf tree: k's binary digits after the first, read from the front, lead from
1 to it, 0 from a/b to a/(a + b) and 1 to (a + b)/b (N. Calkin, H. Wilf, "Recounting the rationals", 2000). All are
bijections; i <= n makes the enumeration of the non-empty plays end. What is to be checked exhaustively is tried on
all plays and prompts of a few turns over small alphabets.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Reward Agent for
Self-Inserting, and Incentivizing Self-recognition ("a canonical computable enumeration", which it leaves open).

Choices:
- a number whose place in the sequence has more than `MOST_DIGITS` digits is refused: an integer m comes at about
  2^m
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isqrt

from engine.errors import BadValue
from engine.plain_values import MOST_DIGITS
from xenv.theory.histories import MOST_BITS, Percept, Play, PlayedTurn, Prompt, as_natural


def pair_numbers(first: int, second: int) -> int:
    """Return the number of the pair (i, j)."""
    diagonal = first + second
    return diagonal * (diagonal + 1) // 2 + second


def unpair_number(number: int) -> tuple[int, int]:
    """Return the pair (i, j) of a number."""
    diagonal = (isqrt(8 * number + 1) - 1) // 2
    second = number - diagonal * (diagonal + 1) // 2
    return diagonal - second, second


def decode_rational(place: int) -> Fraction:
    """Return the rational at a place, 0, 1, ..., of the sequence."""
    if place == 0:
        return Fraction(0)
    numerator = denominator = 1
    for digit in bin((place + 1) // 2)[3:]:
        if digit == "0":
            denominator += numerator
        else:
            numerator += denominator
    return Fraction(numerator if place % 2 else -numerator, denominator)


def encode_rational(number: Fraction) -> int:
    """Return the place of a rational in the sequence; raise BadValue where it is too long a number."""
    if number == 0:
        return 0
    numerator, denominator, place, length = abs(number.numerator), number.denominator, 0, 0
    while numerator != denominator:
        # a run of equal digits at a time: the quotient of Euclid's algorithm
        digit = int(numerator > denominator)
        greater, less = max(numerator, denominator), min(numerator, denominator)
        run = (greater - 1) // less
        if length + run + 2 > MOST_BITS:
            raise BadValue(
                "the place of a reward among all rationals is too long a number",
                place="enumeration of the rationals",
                remedy=f"use rewards whose place has at most {MOST_DIGITS:,} digits, such as small integers",
            )
        place |= (((1 << run) - 1) << length) * digit
        length += run
        numerator, denominator = (greater - run * less, less) if digit else (less, greater - run * less)
    counted = place | (1 << length)
    return 2 * counted - 1 if number > 0 else 2 * counted


def decode_percept(number: int) -> Percept:
    """Return o^, the percept that an observation shows."""
    place, observation = unpair_number(number)
    return Percept(decode_rational(place), observation)


def encode_percept(percept: Percept) -> int:
    """Return the observation that shows a percept; raise BadValue where it is too long a number."""
    return pair_numbers(encode_rational(percept.reward), percept.observation)


def decode_play(number: int) -> Play:
    """Return p_n."""
    backward: list[PlayedTurn] = []
    earlier = number + 1
    while earlier:
        earlier, turn = unpair_number(earlier - 1)
        percept, action = unpair_number(turn)
        backward.append(PlayedTurn(*decode_percept(percept), action))
    return Play(entry for turn in reversed(backward) for entry in turn)


def encode_play(play: Play) -> int:
    """Return the n with p_n the play; raise BadValue for the empty play and where n is too long a number."""
    earlier = 0
    for reward, observation, action in play.turns:
        turn = pair_numbers(encode_percept(Percept(reward, observation)), action)
        earlier = 1 + as_natural(pair_numbers(earlier, turn), "the number of the play")
    return as_natural(earlier - 1, "the number of the empty play")


SIGNS = (Fraction(-1), Fraction(0), Fraction(1))


def list_small_plays(
    most_turns: int,
    rewards: Sequence[Fraction | int] = SIGNS,
    observations: Sequence[int] = (0, 1),
    actions: Sequence[int] = (0, 1),
) -> Iterator[Play]:
    """Yield every play of 0 .. `most_turns` turns, the shorter ones first."""
    turns = list(itertools.product(rewards, observations, actions))
    for length in range(most_turns + 1):
        for chosen in itertools.product(turns, repeat=length):
            yield Play(entry for turn in chosen for entry in turn)


def list_small_prompts(
    most_turns: int,
    rewards: Sequence[Fraction | int] = SIGNS,
    observations: Sequence[int] = (0, 1),
    actions: Sequence[int] = (0, 1),
) -> Iterator[Prompt]:
    """Yield every prompt of 1 .. `most_turns` percepts, the shorter ones first."""
    for play in list_small_plays(most_turns - 1, rewards, observations, actions):
        for reward, observation in itertools.product(rewards, observations):
            yield Prompt((*play, reward, observation))
