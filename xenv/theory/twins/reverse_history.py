"""The formal twin of `xenv/environments/reverse_history.py`: as in the theory, but that rewards begin with 0.

A history given as transitions has no first reward, and nothing to be reversed before the first action, which is
worth 0. Alexander et al. 2021, Example 5.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.rewriting import backward
from xenv.theory.twins._as_if import acting_as_if, first_action_unrewarded


def reverse_history(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return first_action_unrewarded(acting_as_if(lambda prompt: Prompt((0, *backward(prompt)[1:]))))
