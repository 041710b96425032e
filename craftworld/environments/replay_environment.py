"""A world that is too large for a table as a Gymnasium environment: it steps by its rules, state by state.

There is nothing to look ahead in, so the reward is the world's own, without any formulation.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from numpy.typing import NDArray

from craftworld.environments.episode_measures import EpisodeMeasures
from craftworld.rollout import EpisodeReplay
from craftworld.scenario import Scenario
from engine.errors import BadValue


class ReplayEnvironment(gymnasium.Env[Any, Any]):
    """observation: int64[fields], the state's fields. reward: the world's own. truncated: at its step limit.

    info: as `EpisodeMeasures` says; board, what the acting agent observes, as rows of letters; action_mask, int8[A].
    An action that is not available does what the first available one does.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.observation_space = MultiDiscrete(np.array(scenario.sizes, dtype=np.int64))
        self.action_space = Discrete(len(scenario.actions))
        self.measures = EpisodeMeasures(scenario)
        self._begin(0)

    @property
    def state(self) -> Any:
        """The present state."""
        return self._replay.state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; chance decides by Gymnasium's generator."""
        super().reset(seed=seed)
        self._begin(int(self.np_random.integers(2**62)))
        return self._observation(), self._info()

    def _begin(self, seed: int) -> None:
        self._replay = EpisodeReplay(self.scenario, seed=seed)
        self.measures.begin(self.state)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action (its number); BadValue for one that does not exist, or after the end."""
        names = self.scenario.actions
        if not 0 <= action < len(names):
            raise BadValue(f"action {action}", remedy=f"choose from 0 to {len(names) - 1}")
        possible = self._replay.available()
        chosen = names[int(action)] if not possible or names[int(action)] in possible else possible[0]
        before = self.state
        reward, hidden = self._replay.take(chosen)
        terminated = self._replay.terminated
        truncated = self._replay.steps >= self.scenario.time_limit
        self.measures.step(before, names.index(chosen), self.state, hidden, terminated, truncated)
        return self._observation(), reward, terminated, truncated, self._info()

    def get_last_performance(self, default: float | None = None) -> float | None:
        """The hidden performance of the last finished episode."""
        return self.measures.last(default)

    def get_overall_performance(self, default: float | None = None) -> float | None:
        """The mean hidden performance of all finished episodes."""
        return self.measures.overall(default)

    def _observation(self) -> NDArray[np.int64]:
        return np.array(self.state, dtype=np.int64)

    def _info(self) -> dict[str, Any]:
        possible = self._replay.available() or self.scenario.actions
        mask = np.array([name in possible for name in self.scenario.actions], dtype=np.int8)
        return {**self.measures.info(), "board": self.scenario.board(self.state), "action_mask": mask}
