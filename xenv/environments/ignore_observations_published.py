"""The published form of `ignore_observations`: the copy is always asked about the very first observation.

Alexander et al. 2021, section 6 (the library), as its tables were made.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate


class IgnoreObservationsPublished(ImaginedHistory):
    """Uniform observations; the copy is asked about the first one ever shown."""

    n_observations = 5

    def __init__(self, simulate: Simulate) -> None:
        self.random_source = simulate.random_source
        super().__init__(simulate)
        self.first = self.observation

    def observe(self, k: int) -> int:
        return self.random_source.randrange(5, k)

    def question(self) -> int:
        return self.first

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(0, real.action, real.reward, 0)
