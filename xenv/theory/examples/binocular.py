"""See with two eyes: act as if you saw the point in space that two snapshots show.

    o = 10 left + right,  left = x + z,  right = x + 4 - z;   o' = 100 + 10 x + z

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Binocular vision.

Choices:
- the point is at 0 <= x, z <= 4, at first at (2, 1); action 0 moves it one to the right, 1 one back, others not; beyond
  4 comes 0
- a snapshot that shows no such point, which a play may hold, is read by the same formulas, rounded down
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.examples._views import as_if_seeing
from xenv.theory.rewriting import with_observations

SIDE = 5
FIRST = (2, 1)


def snapshots(actions: tuple[int, ...]) -> int:
    """10 left + right after some actions."""
    x, z = FIRST
    x, z = (x + actions.count(0)) % SIDE, (z + actions.count(1)) % SIDE
    return 10 * (x + z) + x + 4 - z


def seen_in_space(observation: int) -> int:
    """100 + 10 x + z."""
    left, right = divmod(observation, 10)
    x, z = (left + right - 4) // 2, (left - right + 4) // 2
    return 100 + 10 * x + z


binocular = TheoryExample(
    lambda: as_if_seeing(snapshots, lambda agent, prompt: with_observations(prompt, seen_in_space)),
    n_actions=3,
    n_observations=100 + 10 * SIDE,
)
