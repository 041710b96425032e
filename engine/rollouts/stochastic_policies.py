"""Policies as probabilities of actions, f64[S, A]: rows sum to 1, actions that are not available have 0."""

from __future__ import annotations

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Policy, TabularMDP

ROUNDING = 1e-9


def random_policy(mdp: TabularMDP) -> Floats:
    """Every available action with the same probability; the first one in terminal states, where none matters."""
    mask = mdp.action_mask(np.arange(len(mdp.terminal)))
    mask[:, 0] |= ~mask.any(axis=1)
    return np.asarray(mask / mask.sum(axis=1, keepdims=True))


def epsilon_greedy(mdp: TabularMDP, policy: Policy, epsilon: float) -> Floats:
    """A policy, int32[S], that takes a random available action with probability epsilon.

    Raises BadValue for an epsilon outside [0, 1].
    """
    if not 0.0 <= epsilon <= 1.0:
        raise BadValue(f"epsilon is {epsilon}", place="epsilon", remedy="choose one between 0 and 1")
    chances = epsilon * random_policy(mdp)
    chances[np.arange(len(chances)), mdp.executable(policy)] += 1.0 - epsilon
    return chances


def as_probabilities(mdp: TabularMDP, policy: Policy | Floats) -> Floats:
    """A policy, int[S] or f64[S, A], as probabilities; BadValue for one that is none, or none of this table."""
    given = np.asarray(policy)
    states, actions = mdp.next_state.shape[:2]
    if given.shape == (states,) and given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= actions:
            raise BadValue(
                "a policy of unknown actions", place="policy", remedy=f"give numbers from 0 to {actions - 1}"
            )
        return np.eye(actions)[mdp.executable(given.astype(np.int32))]
    if given.shape != (states, actions) or given.dtype.kind not in "fiu":
        remedy = f"give an action for each of {states} states, or the probabilities of {actions} actions in each"
        raise BadValue(f"a policy of shape {given.shape}", place="policy", remedy=remedy)
    chances = given.astype(np.float64)
    going_on = ~mdp.terminal
    total = chances.sum(axis=1)[going_on]
    if not ((chances >= 0) & np.isfinite(chances)).all() or (np.abs(total - 1.0) > ROUNDING).any():
        raise BadValue("probabilities that do not sum to 1", place="policy", remedy="give rows that sum to 1")
    if mdp.available is not None and (chances[going_on] > 0)[~mdp.available[going_on]].any():
        raise BadValue("an action that is not available", place="policy", remedy="give it probability 0")
    return chances
