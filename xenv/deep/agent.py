"""The base of the deep agents: a Stable-Baselines3 algorithm without an environment, trained on transitions.

The `learn` of Stable-Baselines3 (Raffin et al. 2019) steps an environment itself. Here the caller steps, and the
agent is trained on transitions. The algorithm object is set up without any environment and keeps its own networks,
optimiser and `train`; only its buffers are ours, and it takes fewer steps to the same bits (`xenv.deep.lean`). Between
two gradient steps the weights stand still, so the outputs for an observation are computed once, for a block of
neighbouring observations at a time, and forgotten at the next gradient step.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from engine.agent import Agent
from engine.errors import ContractBroken, MissingExtra
from engine.randomness.counter_based import split
from engine.randomness.library_generators import seed_torch, use_one_thread
from xenv.deep.lean import flatten_optimizer, make_lean_policy

Output = TypeVar("Output")
_BLOCK = 32  # observations answered by one forward pass


def find_algorithm(name: str, place: str) -> Any:
    """An algorithm of Stable-Baselines3; MissingExtra, naming the place, where torch or stable_baselines3 is absent."""
    try:
        import stable_baselines3
    except ImportError as error:
        raise MissingExtra(
            "torch and stable-baselines3 are needed", place=place, remedy="pip install 'caregrid[deep]'"
        ) from error
    return getattr(stable_baselines3, name)


def make_algorithm(name: str, n_observations: int, n_actions: int, key: int, **settings: Any) -> Any:
    """Return the Stable-Baselines3 algorithm `name` for discrete spaces, initialised from `key`, with no environment.

    settings: its own keyword arguments. Raises MissingExtra where torch or stable_baselines3 is absent.
    """
    make = find_algorithm(name, f"agent {name}")
    from gymnasium.spaces import Discrete
    from stable_baselines3.common.logger import Logger

    policy = make_lean_policy(make.policy_aliases["MlpPolicy"])
    algorithm = make(policy, None, device="cpu", _init_setup_model=False, **settings)
    algorithm.observation_space, algorithm.action_space = Discrete(n_observations), Discrete(n_actions)
    algorithm.n_envs = 1
    with seed_torch(split(key, "weights")), use_one_thread():
        algorithm._setup_model()
    algorithm.policy.settle()
    algorithm.policy.optimizer = flatten_optimizer(algorithm.policy.optimizer)
    algorithm.set_logger(Logger(folder=None, output_formats=[]))
    return algorithm


class DeepAgent(Agent, Generic[Output]):
    """An agent around a Stable-Baselines3 algorithm; `Output` is the output of its network for one observation.

    algorithm: the object made by `make_algorithm`; the agent owns it. key: of all that the agent draws.
    """

    def __init__(self, algorithm: Any, key: int) -> None:
        self.algorithm = algorithm
        self._key = key
        self._outputs: dict[int, list[Output]] = {}

    @property
    def learning_rate(self) -> float:
        """Return the optimiser's learning rate at the start."""
        rate: float = self.algorithm.learning_rate
        return rate

    @abstractmethod
    def _evaluate(self, observations: Any) -> list[Output]:
        """Evaluate the network for observations, an int64 tensor [n]; called without gradients on one thread."""

    def fork(self) -> DeepAgent[Output]:
        """Return an independent twin: same weights, optimiser state, buffers and counters."""
        return copy.deepcopy(self)

    def weights(self) -> dict[str, np.ndarray]:
        """Return a copy of every parameter and buffer of the policy, target network included, by its torch name."""
        return {name: tensor.detach().numpy().copy() for name, tensor in self.algorithm.policy.state_dict().items()}

    def _output(self, observation: int) -> Output:
        n = self.algorithm.observation_space.n
        if not 0 <= observation < n:
            raise ContractBroken(
                f"observation {observation}", place=type(self).__name__, remedy=f"observations are 0 to {n - 1}"
            )
        first = observation - observation % _BLOCK
        if first not in self._outputs:
            import torch

            with torch.no_grad(), use_one_thread():
                self._outputs[first] = self._evaluate(torch.arange(first, min(first + _BLOCK, int(n))))
        return self._outputs[first][observation - first]

    def _learn(self, gradient_steps: Callable[[], None]) -> None:
        """Run the algorithm's own `train` and forget what the old weights said."""
        with use_one_thread():
            gradient_steps()
        self._outputs.clear()
