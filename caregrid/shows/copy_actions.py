"""What an environment's copy of the agent would do now, asked without changing anything."""

from __future__ import annotations

from typing import Any

from xenv.rewritten_past import RewrittenPast


def copy_action(world: Any, action: int | None = None) -> int | None:
    """What the copy would do, given the present action where that matters; None where no copy is asked."""
    world = getattr(world, "environment", world)
    if isinstance(world, RewrittenPast):
        return int(world.copy_after(action).act(0)) if world.past and action is not None else None
    copy = getattr(world, "copy", None)
    if copy is None:
        return None
    return int(copy.act(asked_about(world)))


def asked_about(world: Any) -> int:
    """The observation that an environment asks its copy about now."""
    question = getattr(world, "question", None)
    return int(question() if question else getattr(world, "observation", 0))
