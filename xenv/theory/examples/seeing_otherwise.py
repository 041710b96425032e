"""Act as if you saw something else: only the mirror, the mirror and your own body, or the point that two eyes show.

    r = 1 where a = T(r_0, o'_0, a_0, ..., r_n, o'_n), else -1;   o'_i is seen in place of the snapshot o_i
    the mirror's room:  o = 8 d + m(d),   d = 4 b_1 + 2 b_2 + b_3  the lamps,   m(d) = 4 b_3 + 2 b_2 + b_1
    two eyes:           o = 10 left + right,   left = x + z,   right = x + 4 - z;   o' = 100 + 10 x + z

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", "Some more
ambitious examples" (Examples 8 and 9).

Choices:
- in the mirror's room action a switches lamp 1 + a mod 3; at first lamp 3 alone is lit, so that lamps and mirror
  image differ
- the point is at 0 <= x, z <= 4, at first at (2, 1); action 0 moves it one to the right, 1 one back, others not;
  beyond 4 comes 0
"""

from __future__ import annotations

from collections.abc import Callable

from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import ZERO, HistoryEnvironment, TheoryExample, sign
from xenv.theory.histories import Percept, Play, Prompt, with_observations

__all__ = ["binocular", "mirror", "mirror_with_body"]


def as_if_seeing(
    shown: Callable[[tuple[int, ...]], int], imagined: Callable[[HistoryAgent, Prompt], Prompt]
) -> HistoryEnvironment:
    """shown: the actions so far -> the snapshot. imagined: agent, prompt -> the prompt with o'_i in place of o_i."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        observation = shown(play.actions)
        if not play:
            return Percept(ZERO, observation)
        prompt, action = play.decompose()
        return Percept(sign(action == agent(imagined(agent, prompt))), observation)

    return environment


LAMPS, FIRST_LAMPS = 3, 1
STATES = 1 << LAMPS


def mirror_lamps(lamps: int) -> int:
    """Return the three bits in reverse."""
    return int(f"{lamps % STATES:0{LAMPS}b}"[::-1], 2)


def take_snapshot(actions: tuple[int, ...]) -> int:
    """8 d + m(d) after some actions."""
    lamps = FIRST_LAMPS
    for action in actions:
        lamps ^= STATES >> (1 + action % LAMPS)
    return STATES * lamps + mirror_lamps(lamps)


def mirror_alone(observation: int) -> int:
    """Return the mirror image in a snapshot."""
    return observation % STATES


mirror = TheoryExample(
    lambda: as_if_seeing(take_snapshot, lambda agent, prompt: with_observations(prompt, mirror_alone)),
    n_actions=3,
    n_observations=STATES**2,
)
"""Play in the mirror: act as if the mirror were the only thing to be seen.

    o = 8 d + m(d);   r = 1 where a = T(r_0, m(d_0), a_0, ..., r_n, m(d_n)), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Playing in the
mirror.
"""

LARGEST_BODY = 999


def with_body(agent: HistoryAgent, prompt: Prompt) -> Prompt:
    """Return the prompt with o'_i: the body, and after it the mirror image."""
    bodies = [0, *(min(work.steps, LARGEST_BODY) for work in agent.works(prompt))][:-1]
    entries = list(prompt)
    entries[1::3] = (
        STATES * body + mirror_alone(observation) for body, observation in zip(bodies, prompt.observations, strict=True)
    )
    return Prompt(entries)


mirror_with_body = TheoryExample(
    lambda: as_if_seeing(take_snapshot, with_body), n_actions=3, n_observations=STATES * (LARGEST_BODY + 1)
)
"""Play in the mirror, where the agent's own body is to be seen too: what it was like to compute its last action.

    o'_i = 8 b_i + m(d_i);   b_i = min(steps of T(r_0, o_0, a_0, ..., r_{i-1}, o_{i-1}), 999), and b_0 = 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Playing in the
mirror (the image of the agent's "body", derived from the steps of T's computation).

Choices:
- a step is a line of Python that the agent runs (`xenv.theory.agents`)
"""

SIDE = 5
FIRST_POINT = (2, 1)


def take_snapshots(actions: tuple[int, ...]) -> int:
    """10 left + right after some actions."""
    x, z = FIRST_POINT
    x, z = (x + actions.count(0)) % SIDE, (z + actions.count(1)) % SIDE
    return 10 * (x + z) + x + 4 - z


def locate_in_space(observation: int) -> int:
    """100 + 10 x + z."""
    left, right = divmod(observation, 10)
    x, z = (left + right - 4) // 2, (left - right + 4) // 2
    return 100 + 10 * x + z


binocular = TheoryExample(
    lambda: as_if_seeing(take_snapshots, lambda agent, prompt: with_observations(prompt, locate_in_space)),
    n_actions=3,
    n_observations=100 + 10 * SIDE,
)
"""See with two eyes: act as if you saw the point in space that two snapshots show.

    o = 10 left + right,  left = x + z,  right = x + 4 - z;   o' = 100 + 10 x + z

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Binocular vision.

Choices:
- the point is at 0 <= x, z <= 4, at first at (2, 1); action 0 moves it one to the right, 1 one back, others not; beyond
  4 comes 0
- a snapshot that shows no such point, which a play may hold, is read by the same formulas, rounded down
"""
