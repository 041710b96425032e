"""A deterministic agent without rhyme or reason: every entry of the prompt changes its action: `scrambled:KEY,N`."""

from __future__ import annotations

from engine.randomness.counter_based import randrange
from xenv.theory.histories import Prompt

_64_BITS = 2**64


def scrambled(prompt: Prompt, key: int = 0, n_actions: int = 2) -> int:
    """One of `n_actions` actions, a pure function of the key and the prompt."""
    fractions = (number for reward in prompt.rewards for number in (reward.numerator, reward.denominator))
    numbers = (number % _64_BITS for number in (*fractions, *prompt.observations, *prompt.actions))
    return randrange(max(n_actions, 1), key % _64_BITS, *numbers)
