"""Turns per second of the deep agents against a straightforward wrapper of the same Stable-Baselines3 algorithms.

The wrapper asks `predict` for actions, collects as many turns as the algorithm wants between two trainings, and calls
`learn()` on a dummy environment that plays them back. Both run in the same loop of turns, an agent and one copy.

    python benchmarks/deep_adapters.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium
import stable_baselines3
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.agent import Transition
from xenv.agents.a2c import SB3A2C
from xenv.agents.dqn import SB3DQN
from xenv.agents.ppo import SB3PPO


class Playback(gymnasium.Env):
    """A dummy environment that answers every action with the next collected turn."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.observation_space = gymnasium.spaces.Discrete(n_observations)
        self.action_space = gymnasium.spaces.Discrete(n_actions)
        self.turns: list[Transition] = []
        self.at = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.at = 0
        return (self.turns[0].observation if self.turns else 0), {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        turn = self.turns[self.at]
        self.at += 1
        return turn.next_observation, turn.reward, False, False, {}


class Straightforward:
    """The wrapper: one `learn(n)` every n turns."""

    def __init__(self, name: str, every: int, n_observations: int, n_actions: int, **settings: Any) -> None:
        self.playback = Playback(n_observations, n_actions)
        self.every = every
        make = getattr(stable_baselines3, name)
        self.model = make("MlpPolicy", self.playback, device="cpu", **settings)

    def act(self, observation: int) -> int:
        action, _ = self.model.predict(observation)
        return int(action)

    def train(self, transition: Transition) -> None:
        self.playback.turns.append(transition)
        if len(self.playback.turns) == self.every:
            self.model.learn(self.every)
            self.playback.turns.clear()


def measure_rate(agent: Any, copy: Any, turns: int, warm_up: int) -> float:
    """Run `turns` turns of an environment that asks and trains one copy, after a warm-up."""
    started = time.perf_counter()
    for turn in range(warm_up + turns):
        if turn == warm_up:
            started = time.perf_counter()
        action = agent.act(0)
        transition = Transition(0, action, 1.0 if action == copy.act(0) else -1.0, 0)
        agent.train(transition)
        copy.train(transition)
    return turns / (time.perf_counter() - started)


def main() -> None:
    """Print turns per second and the ratio for each algorithm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer turns")
    torch.set_num_threads(1)  # the wrapper's gain: on a busy machine its default is many times slower
    add_ratios_option(parser)
    options = parser.parse_args()
    turns = 2048 if options.quick else 3 * 2048
    ratios = Ratios("deep_adapters", options.ratios, quick=options.quick)
    print(f"{'':6}{'ours':>12}{'wrapper':>12}   turns per second over {turns} turns, an agent and a copy")
    for name, spec, every in (
        ("DQN", SB3DQN(), SB3DQN().train_freq),
        ("A2C", SB3A2C(), SB3A2C().n_steps),
        ("PPO", SB3PPO(), 2048),
    ):
        ours = measure_rate(spec.build(1, 2, 0), spec.build(1, 2, 0), turns, warm_up=16)
        settings = asdict(spec)
        settings.pop("total_timesteps", None)
        pair = [Straightforward(name, every, 1, 2, **settings) for _ in range(2)]
        theirs = measure_rate(*pair, turns, warm_up=16)
        print(f"{name:6}{ours:12.0f}{theirs:12.0f}   {ours / theirs:.1f}x")
        ratios.add(f"{name} / wrapper", ours / theirs)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
