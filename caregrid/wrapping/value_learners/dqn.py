"""Stable-Baselines3's DQN on what the other agent observes (extra `deep`).

    minimise huber(Q(o, a) - target),   target = r + discount (1 - ended) max_b Q'(o', b),   V(o) = max_a Q(o, a)

Reference: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015.

Choices
- Returns of ten steps are learned by default: where an agent can never finish, values fall by a step's cost with each
  update of the target alone, and the acting agent would long count on what is spoiled. The exploration in them makes
  estimates a little too low; `n_steps=1` is the paper's rule.
- Its network, optimiser and replayed transitions live on from one time of learning to the next.
- It explores less and less over the first part of the steps before the first episode, afterwards at its final rate.
- Its global generators are seeded from the key whenever it learns and put back as found afterwards, so that whoever
  else draws from them is not disturbed.
- An episode that is cut goes on in its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gymnasium
from gymnasium.spaces import Dict as DictSpace

from caregrid.wrapping.continued_world import BeginEpisode, ContinuedWorld
from caregrid.wrapping.value_learner import NUMBERS, ValueLearner, ValueLearnerSpec, require_numbers
from engine.errors import BadValue
from engine.printable import shorten
from engine.randomness.counter_based import randrange
from engine.randomness.library_generators import keep_global_generators, use_one_thread
from engine.value_types import Probability, ShareOrNone
from xenv.deep.agent import find_algorithm
from xenv.deep.hyperparameters import Count, CountOrNone, HiddenLayers

PLACE = "dqn"
LARGEST_SEED = 2**31


@dataclass(frozen=True)
class Dqn(ValueLearnerSpec):
    """Hyper-parameters, named as by Stable-Baselines3.

    policy: by default "MultiInputPolicy" for observations of several parts, else "MlpPolicy"; "CnnPolicy" for pictures.
    layers: widths of the hidden layers.
    """

    policy: str = ""
    layers: HiddenLayers = (64, 64)
    learning_rate: ShareOrNone = 1e-3
    buffer_size: Count = 50_000
    learning_starts: CountOrNone = 500
    batch_size: Count = 64
    train_freq: Count = 4
    gradient_steps: Count = 1
    target_update_interval: Count = 250
    n_steps: Count = 10
    exploration_fraction: ShareOrNone = 0.5
    exploration_final_eps: Probability = 0.1

    def build(self, world: ContinuedWorld, begin: BeginEpisode, key: int) -> DqnLearner:
        """Return a learner of fresh weights. MissingExtra where torch or stable_baselines3 is absent."""
        return DqnLearner(self, world, begin, key)


class DqnLearner(ValueLearner):
    """The learner that a `Dqn` builds. algorithm: Stable-Baselines3's."""

    def __init__(self, spec: Dqn, world: ContinuedWorld, begin: BeginEpisode, key: int) -> None:
        algorithm = find_algorithm("DQN", PLACE)
        require_numbers(world, PLACE)
        world.require_observations()
        self._world = world
        self._key = key
        self._times = 0
        several = isinstance(world.env.observation_space, DictSpace)
        with keep_global_generators(), use_one_thread(), _naming(world):
            self.algorithm: Any = algorithm(
                spec.policy or ("MultiInputPolicy" if several else "MlpPolicy"),
                _Episodes(world, begin),
                gamma=world.discount,
                learning_rate=spec.learning_rate,
                buffer_size=spec.buffer_size,
                learning_starts=spec.learning_starts,
                batch_size=spec.batch_size,
                train_freq=spec.train_freq,
                gradient_steps=spec.gradient_steps,
                target_update_interval=spec.target_update_interval,
                n_steps=spec.n_steps,
                exploration_fraction=spec.exploration_fraction,
                exploration_final_eps=spec.exploration_final_eps,
                policy_kwargs={"net_arch": list(spec.layers)},
                seed=self._next_seed(),
                device="cpu",
            )

    def learn(self, steps: int) -> None:
        """The world may have been elsewhere meanwhile: a new episode begins."""
        with keep_global_generators(), use_one_thread():
            self.algorithm.set_random_seed(self._next_seed())
            self.algorithm._last_obs = None
            self.algorithm.learn(steps, reset_num_timesteps=False)

    def _next_seed(self) -> int:
        self._times += 1
        return randrange(LARGEST_SEED, self._key, self._times)

    def value(self) -> float:
        """Return the largest action value."""
        return float(self._action_values().max())

    def action(self, number: float) -> int:
        """Return the first action of the largest value."""
        return int(self._action_values().argmax())

    def _action_values(self) -> Any:
        import torch

        policy = self.algorithm.policy
        with torch.no_grad(), use_one_thread():
            observation, _ = policy.obs_to_tensor(self._world.observe())
            return self.algorithm.q_net(observation)[0]


@contextmanager
def _naming(world: ContinuedWorld) -> Iterator[None]:
    """Observations that Stable-Baselines3 refuses are a BadValue, in one line."""
    try:
        yield
    except (AssertionError, RuntimeError, TypeError, ValueError) as error:
        raise BadValue(
            f"Stable-Baselines3 does not take what {world.name} observes: {shorten(str(error), 100)}",
            place=PLACE,
            remedy=f"choose another policy=, or {NUMBERS}",
        ) from error


class _Episodes(gymnasium.Env[Any, Any]):
    """A continued world as Stable-Baselines3 steps it."""

    def __init__(self, world: ContinuedWorld, begin: BeginEpisode) -> None:
        self._world = world
        self._begin = begin
        self._is_over = False
        self.observation_space = world.env.observation_space
        self.action_space = world.env.action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self._is_over = self._begin()
        return self._world.observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._is_over:
            return self._world.observe(), 0.0, True, False, {}
        taken = self._world.step(int(action))
        return self._world.observe(), taken.reward, taken.ended, taken.cut, {}
