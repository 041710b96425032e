"""The formal twin of `xenv/environments/false_memories.py`: two turns came before the first one.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", False Memories.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Play, Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.rewriting import after
from xenv.theory.twins._as_if import acting_as_if


def false_memories(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    return after(Play([0] * 6), prompt)
