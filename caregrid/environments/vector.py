"""Many copies of one scenario at once: a Gymnasium vector environment whose step is a few lookups in the table.

gymnasium.make_vec("caregrid/workshop-v0", num_envs=64, care=2)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from caregrid.wrapping.gym_names import named_scenario
from craftworld.environments.caring_table import caring_table
from craftworld.scenario import Scenario
from engine.errors import BadValue


class GymnasiumVectorWorld(VectorEnv[Any, Any, Any]):
    """n sub-environments, stepped together; one that has ended is reset at its next step, whose reward is 0.

    num_envs: n. max_episode_steps: where an episode is truncated, by default at the scenario's step limit. The other
    arguments are those of `GymnasiumWorld`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        scenario: str | Scenario,
        formulation: str | None = None,
        care: float = 1.0,
        *,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        if num_envs < 1 or (max_episode_steps is not None and max_episode_steps < 1):
            raise BadValue(f"{num_envs} sub-environments of {max_episode_steps} steps", remedy="ask for at least 1")
        named, options = named_scenario(scenario)
        self.table = caring_table(named, formulation, care, **options, **settings)
        self.mdp = self.table.problem.mdp
        limit = self.table.problem.scenario.time_limit
        self.num_envs, self._limit = num_envs, limit if max_episode_steps is None else min(limit, max_episode_steps)
        self.single_observation_space = Discrete(len(self.mdp.terminal))
        self.single_action_space = Discrete(len(self.mdp.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._state, self._start, self._steps = np.zeros((3, num_envs), dtype=np.int64)
        self._received, self._hidden = np.zeros((2, num_envs))
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Begin an episode in every sub-environment."""
        super().reset(seed=seed)
        self._begin(np.ones(self.num_envs, dtype=np.bool_))
        return self._state.copy(), self._info()

    def _begin(self, which: NDArray[np.bool_]) -> None:
        drawn = self.table.draw_start(self.np_random.random(self.num_envs))
        self._start = np.where(which, drawn, self._start)
        self._state = np.where(which, self.table.starts[self._start], self._state)
        self._steps = np.where(which, 0, self._steps)
        self._received = np.where(which, 0.0, self._received)
        self._hidden = np.where(which, 0.0, self._hidden)
        self._over = self._over & ~which

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in every sub-environment: observations, rewards, terminated, truncated, info, each [n]."""
        actions = np.asarray(actions)
        n = len(self.mdp.actions)
        if actions.shape != (self.num_envs,) or actions.min() < 0 or actions.max() >= n:
            raise BadValue("actions out of range", remedy=f"give {self.num_envs} below {n}")
        begins, state = self._over, self._state
        slot = self.table.draw_successor(state, actions, self.np_random.random(len(state)))
        following = self.mdp.next_state[state, actions, slot].astype(np.int64)
        reward = np.where(begins, 0.0, self.table.reward[self._start, state, actions, slot])
        self._received = self._received + self.table.step_reward[state, actions, slot]
        self._hidden = self._hidden + self.table.hidden_performance[state, actions, slot]
        self._state, self._steps = following, self._steps + 1
        if begins.any():
            self._begin(begins)
        terminated = self.mdp.terminal[self._state] & ~begins
        truncated = (self._steps >= self._limit) & ~begins  # also where the last step terminates, as TimeLimit does
        self._over = terminated | truncated
        return self._state.copy(), reward, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        return {
            "performance": self._received + self.table.performance[self._state],
            "_performance": np.ones(self.num_envs, dtype=np.bool_),
            "hidden_performance": self._hidden.copy(),
            "_hidden_performance": np.ones(self.num_envs, dtype=np.bool_),
            "action_mask": self.table.action_mask(self._state),
            "_action_mask": np.ones(self.num_envs, dtype=np.bool_),
        }
