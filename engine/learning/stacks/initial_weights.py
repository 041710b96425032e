"""The layout of a lane's row of parameters, and the weights it begins with: those of Stable-Baselines3's "MlpPolicy".

DQN: weights and biases uniform in +-1 / sqrt(inputs). A2C and PPO: orthogonal matrices, scaled by sqrt(2) in the hidden
layers, 0.01 for the actions and 1 for the value; biases 0. All are drawn by torch, in Stable-Baselines3's order, so
that equal keys give its weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import MissingExtra
from engine.randomness.counter_based import split
from engine.randomness.library_generators import seed_torch, use_one_thread

ParameterRow = NDArray[np.float32]


def list_widths(n_observations: int, hidden: Sequence[int], n_outputs: int) -> NDArray[np.int64]:
    """Return int64[L + 1], inputs, units of each hidden layer, outputs."""
    return np.array([n_observations, *hidden, n_outputs], dtype=np.int64)


def count_parameters(layer_widths: NDArray[np.int64]) -> int:
    """Return how many parameters a network of these widths has."""
    return sum(int(inputs + 1) * int(units) for inputs, units in pairwise(layer_widths))


@lru_cache(maxsize=256)
def draw_action_value_row(n_observations: int, hidden: tuple[int, ...], n_actions: int, key: int) -> ParameterRow:
    """Return the initial parameters of a Q-network, float32[P]; read-only."""
    with _drawing(key):
        return _join_layers(_make_linear_layers(n_observations, *hidden, n_actions))


@lru_cache(maxsize=256)
def draw_actor_critic_row(n_observations: int, hidden: tuple[int, ...], n_actions: int, key: int) -> ParameterRow:
    """Return the initial parameters of a policy network and, after it, a value network, float32[P]; read-only."""
    from torch.nn import Linear, init

    with _drawing(key):
        policy, value = (_make_linear_layers(n_observations, *hidden) for _ in range(2))
        last = hidden[-1] if hidden else n_observations
        action, critic = Linear(last, n_actions), Linear(last, 1)
        gains = [math.sqrt(2)] * (2 * len(hidden)) + [0.01, 1.0]
        for layer, gain in zip([*policy, *value, action, critic], gains, strict=True):
            init.orthogonal_(layer.weight, gain=gain)
            init.zeros_(layer.bias)
        return _join_layers([*policy, action, *value, critic])


def name_action_value_parameters(
    weights: ParameterRow, target: ParameterRow, layer_widths: NDArray[np.int64]
) -> dict[str, ParameterRow]:
    """Copies of a DQN's parameters, by the names and in the shapes of Stable-Baselines3's policy."""
    named: dict[str, ParameterRow] = {}
    for network, row in (("q_net", weights), ("q_net_target", target)):
        for layer, (weight, bias) in enumerate(_split_layers(row, layer_widths)):
            named |= {f"{network}.q_net.{2 * layer}.weight": weight, f"{network}.q_net.{2 * layer}.bias": bias}
    return named


def name_actor_critic_parameters(
    row: ParameterRow, policy_widths: NDArray[np.int64], value_widths: NDArray[np.int64]
) -> dict[str, ParameterRow]:
    """Copies of an actor-critic's parameters, by the names and in the shapes of Stable-Baselines3's policy."""
    named: dict[str, ParameterRow] = {}
    middle = count_parameters(policy_widths)
    parts = ("policy", policy_widths, row[:middle], "action_net"), ("value", value_widths, row[middle:], "value_net")
    for kind, layer_widths, part, last in parts:
        layers = _split_layers(part, layer_widths)
        names = [f"mlp_extractor.{kind}_net.{2 * layer}" for layer in range(len(layers) - 1)]
        for name, (weight, bias) in zip([*names, last], layers, strict=True):
            named |= {f"{name}.weight": weight, f"{name}.bias": bias}
    return named


def _split_layers(row: ParameterRow, layer_widths: NDArray[np.int64]) -> list[tuple[ParameterRow, ParameterRow]]:
    """(weight[units, inputs], bias[units]) of each layer, as torch keeps them: copies of what a row holds."""
    tensors, at = [], 0
    for inputs, units in pairwise(int(width) for width in layer_widths):
        middle = at + inputs * units
        tensors.append((row[at:middle].reshape(inputs, units).T.copy(), row[middle : middle + units].copy()))
        at = middle + units
    return tensors


@contextmanager
def _drawing(key: int) -> Iterator[None]:
    """Torch draws from a generator of the key's inside, on one thread; MissingExtra where there is no torch."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "torch is needed to draw initial weights", place="stacked agents", remedy="pip install 'caregrid[deep]'"
        ) from error
    with seed_torch(split(key, "weights")), use_one_thread():
        yield


def _make_linear_layers(*widths: int) -> list[Any]:
    from torch.nn import Linear

    return [Linear(inputs, units) for inputs, units in pairwise(widths)]


def _join_layers(layers: list[Any]) -> ParameterRow:
    parts = [part for layer in layers for part in (layer.weight.detach().numpy().T, layer.bias.detach().numpy())]
    row: ParameterRow = np.concatenate([np.ravel(part) for part in parts]).astype(np.float32)
    row.flags.writeable = False
    return row
