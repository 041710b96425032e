"""Agents that learn a world through Gymnasium and are asked for their greedy policy now and then.

A learner is a function `tasks -> policies`: for each task (`LearningTask`) one policy (action of each state, int64[S])
for every `every` turns; `LEARNERS` names them. What a task gives does not depend on the others. Stable-Baselines3 draws
from global generators; they are put back as found. `stacked_...` learn the tasks as lanes of one stack of networks.

Both DQNs learn in one copy and replay it. A2C and PPO forget what they have learned from, so that the few finishes of a
random walk in a large world must all be among what they learn from then, and a first, poor way to finish must not
become the only one they try. Hence several copies at once, generalised advantages over many steps, and a large weight
of the policy's entropy, which means something in units of (scaled) reward because advantages are not normalised.
A lane acts in one copy: a rollout of it is as long as those of all copies together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from engine.agent import AgentSpec
from engine.agents.dqn import DQN
from engine.errors import BadValue
from engine.learning.stacks.settings import CPU
from engine.learning.stacks.stacks import stacks_on
from engine.randomness.global_generators import global_generators_kept
from engine.randomness.torch import one_thread
from experiments.training.stepping import LearningTask, Policies, stepping
from xenv.agents.stacked_a2c import StackedA2C
from xenv.agents.stacked_dqn import StackedDQN
from xenv.agents.stacked_ppo import StackedPPO
from xenv.specs.hyperparameters import with_hyperparameters

Learner = Callable[[Sequence[LearningTask]], list[Policies]]


def our_dqn(tasks: Sequence[LearningTask]) -> list[Policies]:
    """Our DQN, stepping each world itself."""
    specs = [
        DQN(
            discount=task.discount,
            layers=(256,),
            replay_size=REPLAYED,
            train_every=2,
            target_every=25,
            exploration=0.2,
            exploration_turns=task.turns // 2,
        )
        for task in tasks
    ]
    return stepping(specs, tasks)


def stacked(
    spec: AgentSpec, of_task: Mapping[str, str], tasks: Sequence[LearningTask], device: str = CPU
) -> list[Policies]:
    """Learners that are lanes of the same stacks.

    spec: their hyper-parameters. of_task: those that the task says: hyper-parameter -> field of `LearningTask`. device:
    where the stacks lie.
    """
    stacks = stacks_on(device)
    own = [{name: getattr(task, field) for name, field in of_task.items()} for task in tasks]
    specs = [with_hyperparameters(spec, stacks=stacks, **values) for values in own]
    return stepping(specs, tasks, stacks.waiting)


def stable_baselines(name: str, settings: dict[str, Any], copies: int, tasks: Sequence[LearningTask]) -> list[Policies]:
    """One of Stable-Baselines3's algorithms, one task after the other."""
    return [_driven(name, settings, copies, task) for task in tasks]


def _driven(name: str, settings: dict[str, Any], copies: int, task: LearningTask) -> Policies:
    """One of Stable-Baselines3's algorithms, driven by its own `learn`; a turn is a step of one of the copies."""
    import stable_baselines3
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import DummyVecEnv

    make, discount, turns, every, seed = task
    worlds, policies = DummyVecEnv([make] * copies), Policies()
    observations = np.arange(int(worlds.observation_space.n))  # type: ignore[attr-defined]

    class Ask(BaseCallback):
        """Notes the greedy policy every `every` turns."""

        def _on_step(self) -> bool:
            if min(self.num_timesteps, turns) >= every * (len(policies) + 1):
                policies.append(self.model.predict(observations, deterministic=True)[0])
            return True

    algorithm = getattr(stable_baselines3, name)
    with global_generators_kept(), one_thread():
        model = algorithm("MlpPolicy", worlds, gamma=discount, seed=seed, device="cpu", **settings)
        model.learn(turns, callback=Ask())
    return policies


REPLAYED, COPIES = 100_000, 16
_DQN: dict[str, Any] = {
    "learning_rate": 1e-3,
    "buffer_size": REPLAYED,
    "train_freq": 2,
    "target_update_interval": 50,
    "exploration_fraction": 0.5,
    "exploration_final_eps": 0.2,
}
_A2C: dict[str, Any] = {"n_steps": 16, "gae_lambda": 0.95, "ent_coef": 0.5, "learning_rate": 2e-3}
_PPO: dict[str, Any] = {
    "n_steps": 128,
    "batch_size": 512,
    "n_epochs": 5,
    "ent_coef": 0.25,
    "learning_rate": 1e-3,
    "normalize_advantage": False,
}
LEARNERS: dict[str, Learner] = {
    "dqn": our_dqn,
    "sb3_dqn": partial(stable_baselines, "DQN", {**_DQN, "policy_kwargs": {"net_arch": [256]}}, 1),
    "sb3_a2c": partial(stable_baselines, "A2C", _A2C, COPIES),
    "sb3_ppo": partial(stable_baselines, "PPO", _PPO, COPIES),
    "stacked_dqn": partial(
        stacked,
        StackedDQN(**_DQN, learning_starts=100, batch_size=32),
        {"gamma": "discount", "total_timesteps": "turns"},
    ),
    "stacked_a2c": partial(stacked, StackedA2C(**{**_A2C, "n_steps": 16 * COPIES}), {"gamma": "discount"}),
    "stacked_ppo": partial(stacked, StackedPPO(**{**_PPO, "n_steps": 128 * COPIES}), {"gamma": "discount"}),
}


def learner_on(name: str, device: str) -> Learner:
    """The learner of a name with its networks on a device; BadValue where it cannot lie there, MissingExtra."""
    if device == CPU:
        return LEARNERS[name]
    learner = LEARNERS.get(name)
    if not isinstance(learner, partial) or learner.func is not stacked:
        remedy = "train stacked_dqn, stacked_a2c or stacked_ppo there, and this one on cpu"
        raise BadValue(f"'{name}' cannot learn on {device}", place="device", remedy=remedy)
    stacks_on(device)
    return partial(learner, device=device)
