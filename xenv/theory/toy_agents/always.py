"""Takes one action, always: `always:1`."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def always(prompt: Prompt, action: int = 0) -> int:
    """The action, whatever happened."""
    return action
