"""The turns: an agent acts, an extended environment responds, the agent is trained.

    a_t = agent.act(o_t);  (r_t, o_{t+1}) = environment.step(a_t);  agent.train(o_t, a_t, r_t, o_{t+1})

The loop is written once and runs plainly or compiled. Alexander et al. 2021, section 4.
"""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, Transition
from engine.compiling.kernel import kernel

STEP = np.dtype(
    [("observation", np.int64), ("action", np.int64), ("reward", np.float64), ("next_observation", np.int64)]
)


def interaction_loop(
    environment: Any,
    agent: Agent,
    shape: tuple[int, int],
    turns: int,
    agent_reward_sign: float,
    observation: int,
    steps: NDArray[np.void],
) -> tuple[float, int, int, int]:
    """Run the turns and return (total reward, turns done, last action, last observation).

    shape: numbers of observations and actions. agent_reward_sign: factor of the agent's rewards, 1 or -1. observation:
    the first one. steps: the record to fill, or an empty one. Ends early at an action or observation out of range.
    """
    n_observations, n_actions = shape
    total, action = 0.0, 0
    if not 0 <= observation < n_observations:
        return total, 0, action, observation
    for turn in range(turns):
        action = agent.act(observation)
        if not 0 <= action < n_actions:
            return total, turn, action, observation
        unsigned, next_observation = environment.step(action)
        if not 0 <= next_observation < n_observations:
            return total, turn, action, next_observation
        reward = agent_reward_sign * unsigned
        agent.train(Transition(observation, action, reward, next_observation))
        total += reward
        if steps.size:
            steps["observation"][turn] = observation
            steps["action"][turn] = action
            steps["reward"][turn] = reward
            steps["next_observation"][turn] = next_observation
        observation = next_observation
    return total, turns, action, observation


compiled_loop = kernel(interaction_loop)


def turn_of(error: BaseException) -> int | None:
    """The turn (1, 2, ...) of the plain loop that an exception comes from, None where it comes from elsewhere."""
    cause: BaseException | None = error
    while cause is not None:
        for frame, _ in traceback.walk_tb(cause.__traceback__):
            if frame.f_code is interaction_loop.__code__ and "turn" in frame.f_locals:
                return int(frame.f_locals["turn"]) + 1
        cause = cause.__cause__
    return None
