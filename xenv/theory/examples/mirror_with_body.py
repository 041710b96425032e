"""Play in the mirror, where the agent's own body is to be seen too: what it was like to compute its last action.

    o'_i = 8 b_i + m(d_i);   b_i = min(steps of T(r_0, o_0, a_0, ..., r_{i-1}, o_{i-1}), 999), and b_0 = 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Playing in the
mirror (the image of the agent's "body", derived from the steps of T's computation).

Choices:
- a step is a line of Python that the agent runs (`xenv.theory.agents.computation`)
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.examples._mirror_room import STATES, mirror_alone, snapshot
from xenv.theory.examples._views import as_if_seeing
from xenv.theory.histories import Prompt

LARGEST_BODY = 999


def with_body(agent: HistoryAgent, prompt: Prompt) -> Prompt:
    """The prompt with o'_i: the body, and after it the mirror image."""
    bodies = [0, *(min(work.steps, LARGEST_BODY) for work in agent.works(prompt))][:-1]
    entries = list(prompt)
    entries[1::3] = (
        STATES * body + mirror_alone(observation) for body, observation in zip(bodies, prompt.observations, strict=True)
    )
    return Prompt(entries)


mirror_with_body = TheoryExample(
    lambda: as_if_seeing(snapshot, with_body), n_actions=3, n_observations=STATES * (LARGEST_BODY + 1)
)
