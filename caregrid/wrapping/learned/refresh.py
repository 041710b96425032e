"""When the others' values are learned, for how long and from which start states.

They are learned for `first` steps before the first episode, from where the acting agent itself begins, and again for
`steps` steps after `every` episodes, from the last `memory` states in which it has left its environment. The policy of
a learning agent changes quickly at first: with a `growth` above 1 each wait is as many times as long as the last.
Within an episode nothing is learned, so that all its rewards come from the same values.
"""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.wrapping.given import real_number, whole_number

PLACE = "Refresh"
MOST_STEPS, MOST_REMEMBERED = 10**8, 100_000


@dataclass(frozen=True)
class Refresh:
    """When the others learn, and for how long.

    first: steps of each other agent before the first episode. every: episodes between two times of learning. steps: of
    each other agent, each time. growth: the factor by which that interval grows each time. memory: how many of the last
    final states of episodes (terminated or truncated) the others begin from.
    """

    first: int = 10_000
    every: int = 50
    steps: int = 2_000
    growth: float = 1.0
    memory: int = 100

    def __post_init__(self) -> None:
        whole_number(self.first, "first", 0, MOST_STEPS, PLACE)
        whole_number(self.every, "every", 1, place=PLACE)
        whole_number(self.steps, "steps", 0, MOST_STEPS, PLACE)
        real_number(self.growth, "growth", 1.0, 1e6, PLACE)
        whole_number(self.memory, "memory", 1, MOST_REMEMBERED, PLACE)

    def wait(self, times: int) -> int:
        """How many episodes to wait when the others have learned `times` times since the first episode."""
        return int(min(self.every * self.growth ** min(times, 10_000), 1e9)) if self.growth > 1.0 else self.every
