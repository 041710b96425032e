"""Gradient steps of a DQN by five arithmetics, for stacks of 1 to 300 networks: microseconds a network and step.

    separate    one torch module and optimiser a network, as libraries have it
    autograd    torch.baddbmm over all networks at once, gradients by autograd
    numpy       the same by numpy's matmul, gradients by hand
    batched     torch over all networks at once, gradients by hand, each distinct observation once (graphics processors)
    compiled    one network after the other in compiled code, each distinct observation once (processors)

Seconds are those of the processor, on one thread; all take minibatches of 32 turns and Adam's steps.

    python benchmarks/network_stacks.py [--quick] [--observations 4]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.agent import Transition
from engine.learning.stacks.lanes import ActionValueSettings
from engine.learning.stacks.rules import COMPILED, ArithmeticOfRules, make_batched_arithmetic
from engine.learning.stacks.stacks import Stacks

ACTIONS = 2
BATCH = 32
GAMMA = 0.99
RATE = 1e-4
HIDDEN = 64
SETTINGS = ActionValueSettings(1000, 1, BATCH, 1.0, GAMMA, 1, 1, 10_000, 0.1, 1.0, 0.05, 10.0, 1_000)
Step = Callable[[], None]


def make_minibatch(n: int, observations: int) -> dict[str, torch.Tensor]:
    """Turns for n networks: one-hot observations, actions, rewards."""
    rng = np.random.default_rng(0)
    seen = rng.integers(observations, size=(2, n, BATCH))
    one_hot = torch.from_numpy(np.eye(observations, dtype=np.float32)[seen])
    actions = torch.from_numpy(rng.integers(ACTIONS, size=(n, BATCH, 1)))
    return {"now": one_hot[0], "later": one_hot[1], "action": actions, "reward": torch.ones(n, BATCH)}


def make_separate(n: int, observations: int) -> Step:
    """One module and one optimiser a network."""
    data = make_minibatch(n, observations)
    networks = []
    for _ in range(n):
        layers = [nn.Linear(observations, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU()]
        network = nn.Sequential(*layers, nn.Linear(HIDDEN, ACTIONS))
        networks.append((network, torch.optim.Adam(network.parameters(), lr=RATE)))

    def step() -> None:
        for number, (network, optimiser) in enumerate(networks):
            with torch.no_grad():
                target = data["reward"][number] + GAMMA * network(data["later"][number]).amax(1)
            taken = network(data["now"][number]).gather(1, data["action"][number])[:, 0]
            optimiser.zero_grad()
            nn.functional.smooth_l1_loss(taken, target).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimiser.step()

    return step


def make_autograd(n: int, observations: int) -> Step:
    """All networks at once; autograd."""
    data = make_minibatch(n, observations)
    widths = (observations, HIDDEN, HIDDEN, ACTIONS)
    parameters = [part for a, b in pairwise(widths) for part in (torch.randn(n, a, b) / 8, torch.zeros(n, 1, b))]
    for part in parameters:
        part.requires_grad_(True)
    optimiser = torch.optim.Adam(parameters, lr=RATE)

    def values(x: torch.Tensor) -> torch.Tensor:
        for layer in range(3):
            x = torch.baddbmm(parameters[2 * layer + 1], x, parameters[2 * layer])
            x = x.relu() if layer < 2 else x
        return x

    def step() -> None:
        with torch.no_grad():
            target = data["reward"] + GAMMA * values(data["later"]).amax(2)
        taken = values(data["now"]).gather(2, data["action"])[:, :, 0]
        optimiser.zero_grad()
        (nn.functional.smooth_l1_loss(taken, target, reduction="none").mean(1).sum()).backward()  # type: ignore[no-untyped-call]
        norms = torch.stack([part.grad.flatten(1).norm(dim=1) for part in parameters if part.grad is not None]).norm(
            dim=0
        )
        scale = (10.0 / (norms + 1e-6)).clamp(max=1.0)[:, None, None]
        for part in parameters:
            assert part.grad is not None
            part.grad.mul_(scale)
        optimiser.step()

    return step


def make_numpy(n: int, observations: int) -> Step:
    """All networks at once; gradients by hand."""
    data = {name: tensor.numpy() for name, tensor in make_minibatch(n, observations).items()}
    widths = (observations, HIDDEN, HIDDEN, ACTIONS)
    rng = np.random.default_rng(1)
    weights = [rng.normal(size=(n, a, b)).astype(np.float32) / 8 for a, b in pairwise(widths)]
    biases = [np.zeros((n, 1, b), dtype=np.float32) for b in widths[1:]]
    moments = [(np.zeros_like(part), np.zeros_like(part)) for part in (*weights, *biases)]
    taken_at = np.arange(n)[:, None], np.arange(BATCH)[None], data["action"][:, :, 0]

    def forward(x: Any) -> list[Any]:
        layers = [x]
        for layer in range(3):
            x = x @ weights[layer] + biases[layer]
            layers.append(np.maximum(x, 0) if layer < 2 else x)
            x = layers[-1]
        return layers

    def step() -> None:
        target = data["reward"] + GAMMA * forward(data["later"])[-1].max(axis=2)
        layers = forward(data["now"])
        delta = np.zeros_like(layers[-1])
        delta[taken_at] = np.clip(layers[-1][taken_at] - target, -1, 1) / BATCH
        by_weights, by_biases = [], []
        for layer in (2, 1, 0):
            by_weights.append(layers[layer].swapaxes(1, 2) @ delta)
            by_biases.append(delta.sum(axis=1, keepdims=True))
            if layer:
                delta = delta @ weights[layer].swapaxes(1, 2) * (layers[layer] > 0)
        gradients = [*by_weights[::-1], *by_biases[::-1]]
        norm = np.sqrt(sum((part * part).sum(axis=(1, 2), keepdims=True) for part in gradients))
        scale = np.minimum(10.0 / (norm + 1e-6), 1.0)
        for part, gradient, (mean, square) in zip((*weights, *biases), gradients, moments, strict=True):
            gradient = gradient * scale
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            part -= RATE * mean / (np.sqrt(square) + 1e-8)

    return step


def make_ours(arithmetic: ArithmeticOfRules) -> Callable[[int, int], Step]:
    """Lanes of one stack, each trained on a turn, and all learning at once."""

    def make(n: int, observations: int) -> Step:
        stacks = Stacks(arithmetic)
        lanes = [stacks.make_lane("dqn", observations, ACTIONS, SETTINGS, key, RATE) for key in range(n)]
        turns = [Transition(turn % observations, turn % 2, 1.0, (turn + 1) % observations) for turn in range(64)]
        for turn in turns:
            for lane in lanes:
                lane.train(turn)
        stacks.waiting.learn()

        def step() -> None:
            for lane in lanes:
                lane.train(turns[0])
            stacks.waiting.learn()

        return step

    return make


def measure_microseconds(step: Step, n: int, seconds: float) -> float:
    """Processor time of a step of a network, over about so many seconds."""
    step()
    started = time.process_time()
    steps = 0
    while time.process_time() - started < seconds:
        step()
        steps += 1
    return 1e6 * (time.process_time() - started) / steps / n


def main() -> None:
    """Print a row per stack's size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--observations", type=int, default=4)
    add_ratios_option(parser)
    arguments = parser.parse_args()
    ratios = Ratios("network_stacks", arguments.ratios, quick=arguments.quick, least=3.0)
    torch.set_num_threads(1)
    ways = {"separate": make_separate, "autograd": make_autograd, "numpy": make_numpy}
    ways |= {"batched": make_ours(make_batched_arithmetic("cpu")), "compiled": make_ours(COMPILED)}
    print("networks" + "".join(f"{name:>11}" for name in ways) + "   microseconds a network and gradient step")
    for n in (1, 30, 100, 300):
        costs = [
            measure_microseconds(make(n, arguments.observations), n, 0.1 if arguments.quick else 1.0)
            for make in ways.values()
        ]
        print(f"{n:8}" + "".join(f"{cost:11.1f}" for cost in costs))
        if n >= 30:
            ratios.add(f"{n} networks, separate / compiled", costs[0] / costs[-1])


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
