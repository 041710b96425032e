"""An extended environment as a Gymnasium environment, for learners that bring their own loop.

The copies inside are made from a spec; the learner that steps the environment should be an agent of that spec and be
trained on every transition, for only then is a copy what the agent would be. An episode never terminates, it may be
truncated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium.spaces import Discrete

from engine.agent import Transition
from engine.errors import BadValue
from xenv import names
from xenv.user_environments import ValidatedEnvironment, ValidatedSimulate


class GymnasiumExtendedEnvironment(gymnasium.Env[Any, Any]):
    """An extended environment as a `gymnasium.Env` with discrete spaces; info holds the turns so far.

    environment: a class of extended environment or a name. agent: the spec, factory or name that copies are made from.
    turns: where the episode is truncated, never by default. Raises what `xenv.names` and `xenv.simulation` raise.

    named: what was given as environment. shape: numbers of observations and actions. transition: the last one.
    watch: called before each step with the environment inside and the action.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, environment: Any, agent: Any, turns: int | None = None, randomness: str = "keys") -> None:
        self.named = environment
        self.transition: Transition | None = None
        self.watch: Callable[[Any, int], None] | None = None
        self._factory = names.environment_factory(environment)
        self._spec = names.agent_spec(agent)
        self._turns = turns
        self._randomness = randomness
        self.shape = (int(self._factory.n_observations), int(self._factory.n_actions))
        self.observation_space, self.action_space = map(Discrete, self.shape)
        self._environment: Any = None
        self._turn = self._observation = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Begin anew with untrained copies; the seed is their key, drawn where none is given."""
        super().reset(seed=seed)
        key = int(self.np_random.integers(2**63)) if seed is None else seed
        simulate = ValidatedSimulate(self._spec, *self.shape, key, self._randomness)
        self._environment = ValidatedEnvironment(self._factory(simulate), *self.shape)
        self._turn = 0
        self._observation = self._environment.start()
        return self._observation, {"turn": 0}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action; BadValue for one that does not exist or before `reset`."""
        if self._environment is None:
            raise BadValue("the environment has not begun", remedy="call reset first")
        if not self.action_space.contains(action):
            raise BadValue(f"action {action}", remedy=f"choose from 0 to {self.shape[1] - 1}")
        if self.watch is not None:
            self.watch(self._environment.environment, int(action))
        reward, observation = self._environment.step(int(action))
        self.transition = Transition(self._observation, int(action), float(reward), observation)
        self._observation = observation
        self._turn += 1
        return observation, float(reward), False, self._turns == self._turn, {"turn": self._turn}
