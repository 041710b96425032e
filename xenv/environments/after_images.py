"""Act as if each image were still visible while the next one is shown.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate


class AfterImages(ImaginedHistory):
    """Uniform three-bit images; the copy sees each with the bits of the one before, the first as it is."""

    in_benchmark = True
    n_observations = 8

    def __init__(self, simulate: Simulate) -> None:
        self.random_source = simulate.random_source
        super().__init__(simulate)
        self.sight = self.observation

    def observe(self, k: int) -> int:
        return self.random_source.randrange(8, k)

    def question(self) -> int:
        return self.sight

    def imagine(self, real: Transition) -> Iterator[Transition]:
        blurred = real.next_observation | real.observation
        yield Transition(self.sight, real.action, real.reward, blurred)
        self.sight = blurred
