"""All agents that have a common ancestor with the agent: they descend from the same initial slot.

With one initial agent these are all agents there are. The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from multislot.crowd import Crowd, Lineage
from multislot.worlds.environment import Slot


class CommonAncestor(Crowd):
    """An agent counts where its ancestor is mine."""

    def counts(self, agent: Lineage, ancestor: Slot) -> bool:
        """Whether the two ancestors are the same slot."""
        return agent.ancestor == ancestor
