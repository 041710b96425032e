"""Act as if you had seen something else: always observation 0, nothing censored, images that linger.

    imagine(o, a, r, o') = (s, a, r, s')       the copy is trained on what it imagines to see, s, and asked about it

Observations are uniform, numbers of the environment's own source and the turn. Alexander et al. 2021, section 6
(the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory
from xenv.simulation import Simulate

__all__ = ["AfterImages", "CensoredObservation", "IgnoreObservations", "IgnoreObservationsPublished"]


class IgnoreObservations(ImaginedHistory):
    """Act as if every earlier observation had been observation 0.

    Alexander et al. 2021, section 6 (the library).

    Differs from the paper:
    - the published code asks the copy about another observation: see `ignore_observations_published`

    Uniform observations; the copy is asked about the present one, but was trained on zeros.
    """

    in_benchmark = True
    n_observations = 5

    def __init__(self, simulate: Simulate) -> None:
        self.random_source = simulate.random_source
        super().__init__(simulate)

    def observe(self, k: int) -> int:
        return self.random_source.randrange(5, k)

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(0, real.action, real.reward, 0)


class IgnoreObservationsPublished(ImaginedHistory):
    """The published form of `ignore_observations`: the copy is always asked about the very first observation.

    Alexander et al. 2021, section 6 (the library), as its tables were made.

    Uniform observations; the copy is asked about the first one ever shown.
    """

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


CENSORED = 2


class CensoredObservation(ImaginedHistory):
    """Act as if you had never seen observation 2: it is cut out of the copy's past.

    Alexander et al. 2021, section 6 (the library).

    A transition into the censored observation is dropped; an observation outside it starts at the last uncensored one.
    """

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


class AfterImages(ImaginedHistory):
    """Act as if each image were still visible while the next one is shown.

    Alexander et al. 2021, section 6 (the library).

    Uniform three-bit images; the copy sees each with the bits of the one before, the first as it is.
    """

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
