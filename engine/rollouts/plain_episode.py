"""One episode of a policy in a table, step by step: the definition, of which `kernel` is the compiled twin.

Episode number e begins where uniform(split(key, "start"), e) says; its step t takes uniform(split(key, "step"), e, t).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.randomness.counter_based import split, uniform
from engine.randomness.inverse_cdf import inverse_cdf
from engine.rollouts.stochastic_policies import as_probabilities


class EpisodeSummary(NamedTuple):
    """The states that an episode begins and ends in, its steps, its discounted return, whether the world ended it."""

    start: int
    final: int
    steps: int
    total: float
    terminated: bool


def plain_episode(mdp: TabularMDP, policy: Policy | Floats, episode: int, limit: int, key: int) -> EpisodeSummary:
    """The episode of that number, of at most `limit` steps.

    policy: int[S] or f64[S, A]. key: of all chance, the policy's and the world's.
    """
    chances = as_probabilities(mdp, policy)
    starts = mdp.start_states()
    begun = state = int(starts[inverse_cdf(mdp.start[starts], uniform(split(key, "start"), episode))])
    steps, total, weight, successors = 0, 0.0, 1.0, mdp.next_state.shape[2]
    while not mdp.terminal[state] and steps < limit:
        outcomes = (chances[state][:, None] * mdp.probability[state]).reshape(-1)
        place = inverse_cdf(outcomes, uniform(split(key, "step"), episode, steps))
        action, successor = divmod(place, successors)
        total += weight * float(mdp.reward[state, action, successor])
        weight *= mdp.discount
        state = int(mdp.next_state[state, action, successor])
        steps += 1
    return EpisodeSummary(begun, state, steps, total, bool(np.asarray(mdp.terminal[state])))
