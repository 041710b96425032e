"""All agents that have a common ancestor with the agent: they descend from the same initial slot.

With one initial agent these are all agents there are. The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from engine.errors import BadValue
from multislot.crowd import Crowd, Lineage
from multislot.learning.mixture import Mixture
from multislot.worlds.environment import Slot


def common_ancestor(argument: str, mixture: Mixture) -> Crowd:
    """An agent counts where its ancestor is mine."""
    if argument:
        raise BadValue(f"'common_ancestor' takes no argument, got '{argument}'")
    return _is_kin


def _is_kin(agent: Lineage, ancestor: Slot) -> bool:
    return agent.ancestor == ancestor
