"""Policies that improve on others: greedy for action values, or by what each action gains."""

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


def improved(gain: Floats, size: Floats, noise: float, policy: Policy) -> Policy:
    """int32[S]: the action that gains most, where it gains more than `noise` times its size; else the policy's.

    gain, size: f64[S, A], sizes not below 0.
    """
    eligible = gain > noise * size
    states = np.flatnonzero(eligible.any(axis=1))
    result = policy.copy()
    result[states] = np.where(eligible[states], gain[states], 0.0).argmax(axis=1)
    return result
