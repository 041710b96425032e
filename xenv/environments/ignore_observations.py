"""Act as if every earlier observation had been observation 0.

Alexander et al. 2021, section 6 (the library).

Differs from the paper:
- the published code asks the copy about another observation: see `ignore_observations_published`
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate


class IgnoreObservations(ImaginedHistory):
    """Uniform observations; the copy is asked about the present one, but was trained on zeros."""

    in_benchmark = True
    n_observations = 5

    def __init__(self, simulate: Simulate) -> None:
        self.random_source = simulate.random_source
        super().__init__(simulate)

    def observe(self, k: int) -> int:
        return self.random_source.randrange(5, k)

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(0, real.action, real.reward, 0)
