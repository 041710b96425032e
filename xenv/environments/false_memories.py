"""Act as if other turns had come before the first one.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", False Memories.
"""

from __future__ import annotations

from engine.agent import Agent, Transition
from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate


class FalseMemories(ImaginedHistory):
    """The copy is trained on two transitions that never happened, then on the real ones."""

    in_benchmark = True

    def make_copy(self, simulate: Simulate) -> Agent:
        copy = simulate()
        for _ in range(2):
            copy.train(Transition(0, 0, 0.0, 0))
        return copy
