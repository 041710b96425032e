"""A2C's policy loss, - A log pi(a | o), with either optimiser (the synchronous form of Mnih et al. 2016's A3C)."""

from __future__ import annotations

from engine.learning.stacks.compiled.optimisers import adam, rmsprop
from engine.learning.stacks.compiled.perceptron import entry, kernel
from engine.learning.stacks.compiled.policies import rollout_learning


@kernel
def _policy_slope(settings, advantage, log_prob, old_log_prob):  # type: ignore[no-untyped-def]
    return -advantage


_by_rmsprop, _by_adam = rollout_learning(_policy_slope, rmsprop), rollout_learning(_policy_slope, adam)


@entry
def learn_by_rmsprop(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5], with RMSprop."""
    _by_rmsprop(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)


@entry
def learn_by_adam(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5], with Adam."""
    _by_adam(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)
