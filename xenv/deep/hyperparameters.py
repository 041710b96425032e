"""The hyper-parameters of DQN, A2C and PPO, named and set as in Stable-Baselines3, and their domains.

Each is a spec without `build`: who builds decides whether Stable-Baselines3's own networks learn (`sb3_dqn`, ...)
or a lane of a stack (`stacked_dqn`, ...). Domains are checked before anything is built.

Differs from Stable-Baselines3
- `learning_starts` of DQN is 1 by default, since an agent measured over few turns should not spend them waiting.
- Their exploration falls over a fraction of a training of known length. Here no length is known: `total_timesteps`
  is the length that the schedule assumes; afterwards epsilon stays at its final value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from engine.agent import AgentSpec
from engine.errors import BadValue
from engine.printable import show_value

Domain = tuple[float, float]
_COUNT = (1, math.inf)
_SHARE = (0.0, 1.0)
_NON_NEGATIVE = (0.0, math.inf)
_COUNTS = (
    "n_steps",
    "n_epochs",
    "buffer_size",
    "batch_size",
    "train_freq",
    "target_update_interval",
    "total_timesteps",
)
_SHARES = ("gamma", "gae_lambda", "tau", "exploration_fraction", "exploration_initial_eps", "exploration_final_eps")
_AMOUNTS = ("learning_rate", "ent_coef", "vf_coef", "max_grad_norm", "clip_range", "learning_starts", "gradient_steps")
_DOMAINS: dict[str, Domain] = {
    **dict.fromkeys(_COUNTS, _COUNT),
    **dict.fromkeys(_SHARES, _SHARE),
    **dict.fromkeys(_AMOUNTS, _NON_NEGATIVE),
}


def check_hyperparameters(spec: Any, **narrower: Domain) -> dict[str, Any]:
    """Return the fields of a spec by name; raise BadValue, naming field and domain, where one lies outside its domain.

    narrower: domains (lowest, highest) that are narrower for this algorithm.
    """
    settings = {field.name: getattr(spec, field.name) for field in fields(spec)}
    place = f"agent {type(spec).__name__}"
    for field in fields(spec):
        name, value = field.name, settings[field.name]
        if field.type == "int" and not isinstance(value, int):
            raise BadValue(f"{name} = {show_value(value)}", place=place, remedy="choose a whole number")
        low, high = {**_DOMAINS, **narrower}.get(name, (-math.inf, math.inf))
        if field.type in ("int", "float") and not low <= value <= high:
            domain = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise BadValue(f"{name} = {value}", place=place, remedy=f"choose {domain}")
    return settings


class Hyperparameters(AgentSpec):
    """The hyper-parameters of a deep learner."""

    def read_settings(self) -> dict[str, Any]:
        """Return the hyper-parameters by name; raise BadValue where one is out of its domain."""
        return check_hyperparameters(self)


@dataclass(frozen=True)
class DQNHyperparameters(Hyperparameters):
    """The hyper-parameters of DQN."""

    learning_rate: float = 1e-4
    buffer_size: int = 1_000_000
    learning_starts: int = 1
    batch_size: int = 32
    tau: float = 1.0
    gamma: float = 0.99
    train_freq: int = 4
    gradient_steps: int = 1
    target_update_interval: int = 10_000
    exploration_fraction: float = 0.1
    exploration_initial_eps: float = 1.0
    exploration_final_eps: float = 0.05
    max_grad_norm: float = 10.0
    total_timesteps: int = 1_000


@dataclass(frozen=True)
class A2CHyperparameters(Hyperparameters):
    """The hyper-parameters of A2C."""

    learning_rate: float = 7e-4
    n_steps: int = 5
    gamma: float = 0.99
    gae_lambda: float = 1.0
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    rms_prop_eps: float = 1e-5
    use_rms_prop: bool = True
    normalize_advantage: bool = False


@dataclass(frozen=True)
class PPOHyperparameters(Hyperparameters):
    """The hyper-parameters of PPO."""

    learning_rate: float = 3e-4
    n_steps: int = 2048
    batch_size: int = 64
    n_epochs: int = 10
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    normalize_advantage: bool = True
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5

    def read_settings(self) -> dict[str, Any]:
        """Return the hyper-parameters by name; raise BadValue where one is out of its domain.

        A minibatch holds at least two turns, since advantages are normalised over it.
        """
        return check_hyperparameters(self, n_steps=(2, math.inf), batch_size=(2, math.inf))
