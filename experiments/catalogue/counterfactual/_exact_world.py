"""A terminal world with some parameters set, refused at once where its numbers cannot be exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfactual.worlds import TerminalWorld


def make_exact_world(name: str, **parameters: float) -> TerminalWorld[Any]:
    """Return the world of a name; BadValue for parameters outside their domain, or with more digits than are exact."""
    from counterfactual.worlds import TERMINAL_WORLDS

    world = TERMINAL_WORLDS[name].make(parameters)
    world.start()
    world.reward_table  # noqa: B018  it is kept, and raises what it has to say
    return world
