"""What a user's own environment gives, checked as it is given: one line names the class, the method and the mistake."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from engine.contracts import refuse


class ValidatedEnvironment:
    """An environment whose observations and rewards are checked as it gives them.

    environment: any object with `start` and `step`. n_observations, n_actions: as its class declares them. Raises
    ContractBroken where a method gives anything but an observation, or a pair of reward and observation.
    """

    def __init__(self, environment: Any, n_observations: int, n_actions: int) -> None:
        self.environment, self.n_observations, self.n_actions = environment, n_observations, n_actions

    def start(self) -> int:
        """The first observation."""
        return self._observation("start", self.environment.start())

    def step(self, action: int) -> tuple[float, int]:
        """The reward and the next observation."""
        given = self.environment.step(action)
        if not (isinstance(given, tuple) and len(given) == 2):
            refuse(self.environment, "step", given, "a pair (reward, next observation)")
        reward, observation = given
        if not _is_number(reward):
            refuse(self.environment, "step", given, "a finite number as the reward")
        return reward, self._observation("step", observation)

    def _observation(self, method: str, given: Any) -> int:
        if isinstance(given, bool) or not hasattr(given, "__index__"):
            self._refuse(method, given)
        observation: int = given
        return observation

    def _refuse(self, method: str, given: Any) -> NoReturn:
        refuse(self.environment, method, given, f"an observation, an integer from 0 to {self.n_observations - 1}")


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str) and math.isfinite(value)
