"""The domains of the deep agents' hyper-parameters, checked before anything is built."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from engine.errors import BadValue

_COUNT = (1, math.inf)
_SHARE = (0.0, 1.0)
_NON_NEGATIVE = (0.0, math.inf)
_DOMAINS = {
    **dict.fromkeys(("n_steps", "n_epochs", "buffer_size", "train_freq", "total_timesteps"), _COUNT),
    **dict.fromkeys(("target_update_interval",), _COUNT),
    **dict.fromkeys(("learning_starts", "gradient_steps"), _NON_NEGATIVE),
    **dict.fromkeys(("gamma", "gae_lambda", "tau"), _SHARE),
    **dict.fromkeys(("exploration_fraction", "exploration_initial_eps", "exploration_final_eps"), _SHARE),
    **dict.fromkeys(("learning_rate", "ent_coef", "vf_coef", "max_grad_norm", "clip_range"), _NON_NEGATIVE),
    "batch_size": (2, math.inf),
}


def checked(spec: Any) -> dict[str, Any]:
    """The fields of a spec by name; raises BadValue, naming field and domain, where one lies outside its domain."""
    settings = {field.name: getattr(spec, field.name) for field in fields(spec)}
    for name, value in settings.items():
        low, high = _DOMAINS.get(name, (-math.inf, math.inf))
        if isinstance(value, int | float) and not low <= value <= high:
            domain = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise BadValue(f"{name} = {value}", place=f"agent {type(spec).__name__}", remedy=f"choose {domain}")
    return settings
