"""Does what it sees: the last observation is its action."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def imitate(prompt: Prompt) -> int:
    """The last observation."""
    return prompt.observations[-1]
