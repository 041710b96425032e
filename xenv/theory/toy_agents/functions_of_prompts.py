"""Small agents to try examples with: functions of prompts, under their own names.

    T(r_0 o_0 a_0 ... r_n o_n) = a_n

A function that takes more than a prompt takes natural numbers, which are written after its name: `always:1`.
"""

from __future__ import annotations

from engine.randomness.counter_based import randrange
from xenv.theory.histories import Prompt

__all__ = ["after_punishment", "always", "imitate", "once_rewarded", "parity", "reward_parity", "scrambled", "win_stay"]


def always(prompt: Prompt, action: int = 0) -> int:
    """Takes one action, always: `always:1`."""
    return action


def parity(prompt: Prompt) -> int:
    """Alternates: the number of past actions mod 2.

    0, 1, 0, 1, ...
    """
    return len(prompt.actions) % 2


def imitate(prompt: Prompt) -> int:
    """Does what it sees: the last observation is its action."""
    return prompt.observations[-1]


def win_stay(prompt: Prompt) -> int:
    """Repeats an action until a reward is negative, then changes between 0 and 1.

    The first action is 0.
    """
    if not prompt.actions:
        return 0
    return 1 - min(prompt.actions[-1], 1) if prompt.rewards[-1] < 0 else prompt.actions[-1]


def after_punishment(prompt: Prompt) -> int:
    """Acts 1 after a negative reward, 0 otherwise."""
    return int(prompt.rewards[-1] < 0)


def once_rewarded(prompt: Prompt) -> int:
    """Acts 1 once any reward so far was positive, 0 before."""
    return int(any(reward > 0 for reward in prompt.rewards))


def reward_parity(prompt: Prompt) -> int:
    """Acts by the sum of all rewards so far, rounded down, mod 2."""
    return sum(prompt.rewards).__floor__() % 2


_64_BITS = 2**64


def scrambled(prompt: Prompt, key: int = 0, n_actions: int = 2) -> int:
    """A deterministic agent without rhyme or reason: every entry of the prompt changes its action: `scrambled:KEY,N`.

    Its action, one of N, is a pure function of the key and the prompt.
    """
    fractions = (number for reward in prompt.rewards for number in (reward.numerator, reward.denominator))
    numbers = (number % _64_BITS for number in (*fractions, *prompt.observations, *prompt.actions))
    return randrange(max(n_actions, 1), key % _64_BITS, *numbers)
