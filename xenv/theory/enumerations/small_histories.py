"""All plays and prompts of a few turns over small alphabets, for what is to be checked exhaustively."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from xenv.theory.histories import Play, Prompt

SIGNS = (Fraction(-1), Fraction(0), Fraction(1))


def small_plays(
    most_turns: int,
    rewards: Sequence[Fraction | int] = SIGNS,
    observations: Sequence[int] = (0, 1),
    actions: Sequence[int] = (0, 1),
) -> Iterator[Play]:
    """Every play of 0 .. `most_turns` turns, the shorter ones first."""
    turns = list(itertools.product(rewards, observations, actions))
    for length in range(most_turns + 1):
        for chosen in itertools.product(turns, repeat=length):
            yield Play(entry for turn in chosen for entry in turn)


def small_prompts(
    most_turns: int,
    rewards: Sequence[Fraction | int] = SIGNS,
    observations: Sequence[int] = (0, 1),
    actions: Sequence[int] = (0, 1),
) -> Iterator[Prompt]:
    """Every prompt of 1 .. `most_turns` percepts, the shorter ones first."""
    for play in small_plays(most_turns - 1, rewards, observations, actions):
        for reward, observation in itertools.product(rewards, observations):
            yield Prompt((*play, reward, observation))
