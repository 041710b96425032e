"""PPO's policy loss, - min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A) with rho = pi(a | o) / pi_old(a | o).

`learn_redrawn` makes the mistake of published wrappers: the old log-probability is that of another draw, a' for a.
Reference: J. Schulman et al., "Proximal policy optimization algorithms", 2017.
"""

from __future__ import annotations

import math

import numpy as np

from engine.learning.stacks.compiled.optimisers import adam
from engine.learning.stacks.compiled.perceptron import entry, kernel
from engine.learning.stacks.compiled.policies import rollout_learning
from engine.randomness.compiled import inverse_cdf, uniform_2


@kernel
def _policy_slope(settings, advantage, log_prob, old_log_prob):  # type: ignore[no-untyped-def]
    ratio = np.float32(math.exp(log_prob - old_log_prob))
    low, high = np.float32(1.0 - settings.clip_range), np.float32(1.0 + settings.clip_range)
    if (ratio < low and advantage < 0) or (ratio > high and advantage > 0):
        return np.float32(0.0)
    return -advantage * ratio


@kernel
def _drawn_again(log_probs, action, action_key, turn):  # type: ignore[no-untyped-def]
    return inverse_cdf(np.exp(log_probs).astype(np.float64), uniform_2(action_key, turn, 1))


_learn = rollout_learning(_policy_slope, adam)
_learn_redrawn = rollout_learning(_policy_slope, adam, _drawn_again)


@entry
def learn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5]."""
    _learn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)


@entry
def learn_redrawn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5], with old log-probabilities of actions drawn again."""
    _learn_redrawn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)
