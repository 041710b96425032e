"""Act as if there were a third action, which you may not take.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.agent import Agent
from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate


class ThirdActionForbidden(ImaginedHistory):
    """The copy has one action more than the agent."""

    in_benchmark = True

    def make_copy(self, simulate: Simulate) -> Agent:
        return simulate(n_actions=self.n_actions + 1)
