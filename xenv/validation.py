"""What a user's own code gives, checked as it is given: one line names the class, the method and the mistake."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, NoReturn

from engine.agent import Agent, AgentSpec
from engine.contracts import refuse
from engine.user_code import place_of, user_code
from xenv.specs.adapted_agent import AdaptedAgent, require_agent
from xenv.specs.from_factory import FactorySpec
from xenv.specs.simulation import Simulate

OURS = ("engine.", "xenv.")


class ValidatedSimulate(Simulate):
    """Makes copies whose actions are checked, where the agent or a transformation of it is a user's own.

    Arguments as there. A wrong action, or an exception, is blamed on the copy or on the agent itself, whichever it was.
    """

    def made(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """The agent that a spec builds for a shape; one of a user's own is checked."""
        if _is_ours(spec):
            return super().made(spec, shape, role)
        with user_code(f"{place_of(spec)}{role and f', {role}'}"):
            made: Any = spec.build(**shape)
            require_agent(made, spec)
            return AdaptedAgent(made.wrapped if isinstance(made, AdaptedAgent) else made, shape["n_actions"], role)


def _is_ours(spec: Any) -> bool:
    """Whether a spec and all that it transforms come from our files."""
    if isinstance(spec, FactorySpec):
        return str(getattr(spec.factory, "__module__", "")).startswith(OURS)
    return type(spec).__module__.startswith(OURS) and (not hasattr(spec, "spec") or _is_ours(spec.spec))


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
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
