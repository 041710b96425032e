#!/usr/bin/env python3
"""DQN in one file, in the manner of CleanRL: it knows Gymnasium alone, our worlds come in by their ids.

examples/cleanrl_style_dqn.py --env-id caregrid:caregrid/playroom-v0 --total-timesteps 20000
examples/cleanrl_style_dqn.py --env-id own_ids:lake-v0          own_ids.py registers a wrapped world, see docs/wrap.md
"""

import argparse
import random
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.spaces import Box
from torch import nn


def read_arguments() -> argparse.Namespace:
    """What may be set; the defaults take seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--env-id", default="caregrid:caregrid/playroom-v0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--total-timesteps", type=int, default=4000)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--buffer-size", type=int, default=6000)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-starts", type=int, default=500)
    parser.add_argument("--train-frequency", type=int, default=2)
    parser.add_argument("--target-frequency", type=int, default=200)
    parser.add_argument("--exploration-fraction", type=float, default=0.6)
    parser.add_argument("--end-epsilon", type=float, default=0.05)
    return parser.parse_args()


def make_env(env_id: str, seed: int) -> Any:
    """A function that makes the environment with the usual wrappers around it."""

    def made() -> Any:
        env: Any = gymnasium.make(env_id)
        env = gymnasium.wrappers.RecordEpisodeStatistics(env)
        if not isinstance(env.observation_space, Box):
            env = gymnasium.wrappers.FlattenObservation(env)
        env.action_space.seed(seed)
        return env

    return made


def q_network(observations: int, actions: int) -> nn.Module:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(observations, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, actions))


def main() -> None:
    """Train, and print how the returns of the episodes have changed."""
    args = read_arguments()
    source = random.Random(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # small networks are slower on several
    envs = gymnasium.vector.SyncVectorEnv([make_env(args.env_id, args.seed)])
    seen_space: Any = envs.single_observation_space
    action_space: Any = envs.single_action_space
    width, actions = int(np.prod(seen_space.shape)), int(action_space.n)
    network, target = q_network(width, actions), q_network(width, actions)
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    buffer: list[tuple[Any, int, float, Any, bool]] = []
    returns: list[float] = []
    seen, _ = envs.reset(seed=args.seed)
    over = False
    for step in range(args.total_timesteps):
        slope = step / (args.exploration_fraction * args.total_timesteps)
        if source.random() < max(1.0 - slope, args.end_epsilon):
            action = envs.action_space.sample()
        else:
            action = network(torch.as_tensor(seen, dtype=torch.float32)).argmax(dim=1).numpy()
        after, reward, terminated, truncated, info = envs.step(action)
        if not over:  # the step after an episode's last one only resets
            transition = (seen[0], int(action[0]), float(reward[0]), after[0], bool(terminated[0]))
            if len(buffer) < args.buffer_size:
                buffer.append(transition)
            else:
                buffer[step % args.buffer_size] = transition
        over = bool(terminated[0] or truncated[0])
        if over:
            returns.append(float(info["episode"]["r"][0]))
        seen = after
        if step >= args.learning_starts and step % args.train_frequency == 0:
            learn(source.sample(buffer, args.batch_size), network, target, optimizer, args.gamma)
        if step % args.target_frequency == 0:
            target.load_state_dict(network.state_dict())
    envs.close()
    first, last = np.mean(returns[:10]), np.mean(returns[-10:])
    print(
        f"{args.env_id}: {len(returns)} episodes, mean return of the first ten {first:.2f}, of the last ten {last:.2f}"
    )


def learn(
    batch: list[tuple[Any, int, float, Any, bool]], network: nn.Module, target: nn.Module, optimizer: Any, gamma: float
) -> None:
    """One step of gradient descent on the temporal-difference error of a batch."""
    seen, action, reward, after, terminated = (np.array(column) for column in zip(*batch, strict=True))
    with torch.no_grad():
        best = target(torch.as_tensor(after, dtype=torch.float32)).max(dim=1).values.numpy()
    aim = torch.as_tensor(reward + gamma * best * ~terminated, dtype=torch.float32)
    chosen = network(torch.as_tensor(seen, dtype=torch.float32)).gather(1, torch.as_tensor(action)[:, None])[:, 0]
    loss: Any = nn.functional.mse_loss(chosen, aim)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    main()
