"""The domains of the hyper-parameters of deep learners, checked before anything is built.

Names and meanings are Stable-Baselines3's; each learner's own are in `xenv/agents/`.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, get_args

from engine.agent import AgentSpec
from engine.errors import BadValue
from engine.learning.stacks.lanes import Draws
from engine.printable import show_value

Domain = tuple[float, float]
_COUNT = (1, math.inf)
_SHARE = (0.0, 1.0)
_NON_NEGATIVE = (0.0, math.inf)
ACTOR_CRITIC_EPSILON = 1e-5  # Adam's, Stable-Baselines3's for A2C and PPO
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
        if name == "layers" and not all(isinstance(units, int) and units >= 1 for units in value):
            raise BadValue(f"layers = {value}", place=place, remedy="choose whole numbers, at least 1 each")
        if name == "draws" and value not in get_args(Draws):
            raise BadValue(f"draws = {show_value(value)}", place=place, remedy="choose turn or history")
    return settings


class Hyperparameters(AgentSpec):
    """The hyper-parameters of a deep learner."""

    def read_settings(self) -> dict[str, Any]:
        """Return the hyper-parameters by name; raise BadValue where one is out of its domain."""
        return check_hyperparameters(self)
