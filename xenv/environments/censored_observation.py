"""Act as if you had never seen observation 2: it is cut out of the copy's past.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate

CENSORED = 2


class CensoredObservation(ImaginedHistory):
    """A transition into the censored observation is dropped; one out of it starts at the last uncensored one."""

    in_benchmark = True
    n_observations = 3

    def __init__(self, simulate: Simulate) -> None:
        self.random_source = simulate.random_source
        super().__init__(simulate)
        self.uncensored = self.observation

    def observe(self, k: int) -> int:
        return 0 if k == 0 else self.random_source.randrange(3, k)

    def question(self) -> int:
        return self.uncensored

    def imagine(self, real: Transition) -> Iterator[Transition]:
        if real.next_observation != CENSORED:
            yield Transition(self.uncensored, real.action, real.reward, real.next_observation)
            self.uncensored = real.next_observation
