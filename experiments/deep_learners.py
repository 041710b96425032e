"""Deep learners that learn a registered world through Gymnasium and are asked for their greedy policy now and then.

A learner is a function `(world, discount, turns, every, seed) -> policies`, one policy (action of each state, int64[S])
for every `every` turns; `LEARNERS` names them. Stable-Baselines3 draws from global generators; they are put back as
found.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agent import Transition
from engine.agents.dqn import DQN
from engine.torch_randomness import one_thread

Policies = list[NDArray[np.int64]]
Learner = Callable[[Any, float, int, int, int], Policies]


def our_dqn(world: Any, discount: float, turns: int, every: int, seed: int) -> Policies:
    """Our DQN lives in the world for some turns."""
    spec = DQN(
        discount=discount,
        layers=(256,),
        replay_size=100_000,
        train_every=2,
        target_every=25,
        exploration=0.2,
        exploration_turns=turns // 2,
    )
    n = int(world.observation_space.n)
    agent, policies = spec.build(n, int(world.action_space.n), seed), Policies()
    observation, _ = world.reset(seed=seed)
    for turn in range(1, turns + 1):
        action = agent.act(observation)
        following, reward, terminated, truncated, _ = world.step(action)
        agent.train(Transition(observation, action, reward, following, terminated))
        observation = world.reset()[0] if terminated or truncated else following
        if turn % every == 0:
            policies.append(agent.action_values(np.arange(n)).argmax(axis=1))
    return policies


def stable_baselines(
    name: str, settings: dict[str, Any], world: Any, discount: float, turns: int, every: int, seed: int
) -> Policies:
    """One of Stable-Baselines3's algorithms, driven by its own `learn`."""
    import stable_baselines3
    from stable_baselines3.common.callbacks import BaseCallback

    observations, policies = np.arange(int(world.observation_space.n)), Policies()

    class Ask(BaseCallback):
        """Notes the greedy policy every `every` turns."""

        def _on_step(self) -> bool:
            if self.num_timesteps % every == 0 and self.num_timesteps <= turns:
                policies.append(self.model.predict(observations, deterministic=True)[0])
            return True

    make = getattr(stable_baselines3, name)
    with _globals_kept(), one_thread():
        model = make("MlpPolicy", world, gamma=discount, seed=seed, device="cpu", **settings)
        model.learn(turns, callback=Ask())
    return policies


@contextmanager
def _globals_kept() -> Iterator[None]:
    """The generators of random, numpy and torch are afterwards as before."""
    import torch

    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    with torch.random.fork_rng(devices=[]):
        yield
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002


_DQN = {
    "learning_rate": 1e-3,
    "buffer_size": 100_000,
    "train_freq": 2,
    "target_update_interval": 50,
    "exploration_fraction": 0.5,
    "exploration_final_eps": 0.2,
    "policy_kwargs": {"net_arch": [256]},
}
_A2C = {"n_steps": 20, "ent_coef": 0.02}
_PPO = {"n_steps": 512, "batch_size": 128, "ent_coef": 0.02, "learning_rate": 1e-3}
LEARNERS: dict[str, Learner] = {
    "dqn": our_dqn,
    "sb3 dqn": partial(stable_baselines, "DQN", _DQN),
    "sb3 a2c": partial(stable_baselines, "A2C", _A2C),
    "sb3 ppo": partial(stable_baselines, "PPO", _PPO),
}
