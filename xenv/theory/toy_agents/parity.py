"""Alternates: the number of past actions mod 2."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def parity(prompt: Prompt) -> int:
    """0, 1, 0, 1, ..."""
    return len(prompt.actions) % 2
