"""Play in the mirror: act as if the mirror were the only thing to be seen.

    o = 8 d + m(d);   r = 1 where a = T(r_0, m(d_0), a_0, ..., r_n, m(d_n)), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Playing in the
mirror; the room is in `_mirror_room.py`.
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.examples._mirror_room import STATES, mirror_alone, snapshot
from xenv.theory.examples._views import as_if_seeing
from xenv.theory.rewriting import with_observations

mirror = TheoryExample(
    lambda: as_if_seeing(snapshot, lambda agent, prompt: with_observations(prompt, mirror_alone)),
    n_actions=3,
    n_observations=STATES**2,
)
