"""Other histories made of one: with other rewards, with other observations, after another play, backward.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from xenv.theory.histories import Play, Prompt


def with_rewards(prompt: Prompt, reward: Callable[[Fraction], Fraction | int]) -> Prompt:
    """The prompt with every reward replaced; p^0 is `with_rewards(p, lambda reward: 0)`."""
    entries = list(prompt)
    entries[0::3] = map(reward, prompt.rewards)
    return Prompt(entries)


def with_observations(prompt: Prompt, observation: Callable[[int], int]) -> Prompt:
    """The prompt with every observation replaced."""
    entries = list(prompt)
    entries[1::3] = map(observation, prompt.observations)
    return Prompt(entries)


def after(earlier: Play, prompt: Prompt) -> Prompt:
    """The prompt p_0 p that has another play before it."""
    return tuple.__new__(Prompt, (*earlier, *prompt))


def backward(prompt: Prompt) -> Prompt:
    """<r_n, o_n, a_{n-1}, ..., r_1, o_1, a_0, r_0, o_0>: percepts and actions in reverse."""
    entries = list(prompt)
    entries[0::3], entries[1::3], entries[2::3] = prompt.rewards[::-1], prompt.observations[::-1], prompt.actions[::-1]
    return tuple.__new__(Prompt, entries)
