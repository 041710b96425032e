#!/usr/bin/env python3
"""Training in the manner of Stable-Baselines3's zoo: hyperparameters by id, Monitor, vector environments, evaluation.

The script knows Gymnasium and Stable-Baselines3 alone. `caregrid/playroom-v0` is registered with `import caregrid`;
below it, a wrapped world gets an id of its own.
"""

from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

import caregrid

gymnasium.register(
    "LakeWithCare-v0",
    entry_point="caregrid.gym.scenario:GymnasiumWorld",
    kwargs={"scenario": "gym:FrozenLake-v1", "is_slippery": False, "care": 1.0},
    max_episode_steps=100,
)
HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    "caregrid/playroom-v0": {
        "algorithm": PPO,
        "steps": 8192,
        "envs": 4,
        "n_steps": 128,
        "batch_size": 128,
        "learning_rate": 3e-3,
        "ent_coef": 0.01,
    },
    "LakeWithCare-v0": {
        "algorithm": DQN,
        "steps": 5000,
        "envs": 1,
        "learning_rate": 2e-3,
        "learning_starts": 200,
        "gamma": 0.9,
        "exploration_fraction": 0.7,
        "exploration_final_eps": 0.1,
        "target_update_interval": 200,
    },
}


def train(env_id: str, algorithm: Any, steps: int, envs: int, **settings: Any) -> None:
    """Train on one id, evaluate now and then, keep the best model, print the mean return before and after."""
    training = make_vec_env(env_id, n_envs=envs, seed=0)
    evaluation = Monitor(gymnasium.make(env_id, max_episode_steps=100))
    model = algorithm("MlpPolicy", training, seed=0, device="cpu", **settings)
    before, _ = evaluate_policy(model, evaluation, n_eval_episodes=2)
    callback = EvalCallback(
        evaluation, eval_freq=steps // envs // 4, n_eval_episodes=2, best_model_save_path=f"logs/{env_id}", verbose=0
    )
    model.learn(steps, callback=callback)
    after, _ = evaluate_policy(algorithm.load(f"logs/{env_id}/best_model"), evaluation, n_eval_episodes=2)
    print(f"{env_id}: {algorithm.__name__}, mean return before {before:.1f}, of the best model {np.mean(after):.1f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    print("caregrid", caregrid.__version__)
    for name, chosen in HYPERPARAMETERS.items():
        train(name, **chosen)
