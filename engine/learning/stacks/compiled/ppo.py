"""PPO's policy loss, - min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A) with rho = pi(a | o) / pi_old(a | o).

Reference: J. Schulman et al., "Proximal policy optimization algorithms", 2017.
"""

from __future__ import annotations

import math

import numpy as np

from engine.learning.stacks.compiled.optimisers import adam
from engine.learning.stacks.compiled.perceptron import entry, kernel
from engine.learning.stacks.compiled.policies import rollout_learning


@kernel
def _policy_slope(settings, advantage, log_prob, old_log_prob):  # type: ignore[no-untyped-def]
    ratio = np.float32(math.exp(log_prob - old_log_prob))
    low, high = np.float32(1.0 - settings.clip_range), np.float32(1.0 + settings.clip_range)
    if (ratio < low and advantage < 0) or (ratio > high and advantage > 0):
        return np.float32(0.0)
    return -advantage * ratio


_learn = rollout_learning(_policy_slope, adam)


@entry
def learn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5]."""
    _learn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)
