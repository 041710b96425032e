"""The policy that is greedy for action values."""

from __future__ import annotations

import numpy as np

from engine.mdp.mdp import Floats, Policy


def greedy(action_value: Floats, tolerance: float, unit: float) -> Policy:
    """int32[S]: the first action whose value is within a tolerance of the best, relative to it or to a unit.

    action_value: f64[S, A]. The first action where the best is infinite.
    """
    best = action_value.max(axis=1)
    with np.errstate(invalid="ignore"):
        least = best - tolerance * np.maximum(unit, np.abs(best))
    policy: Policy = np.argmax(action_value >= least[:, None], axis=1).astype(np.int32)
    return policy
