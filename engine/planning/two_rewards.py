"""The best of one reward within a number of steps, and what a second reward then amounts to.

    V_k(s) = max_a E[r_1 + V_{k-1}],   high_k(s) = max E[r_2 + high_{k-1}],   low_k(s) = min E[r_2 + low_{k-1}],

the latter two over the actions that attain V_k. Where several policies are optimal, the second reward is not
determined: `low` and `high` bound it, and both are attained.
Backward induction (M. Puterman, "Markov Decision Processes", chapter 4); neither reward is discounted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Booleans, Floats, TabularMDP

TIED = 1e-9


class TwoRewards(NamedTuple):
    """best: f64[S], the most that the first reward amounts to. low, high: f64[S], the second reward's bounds then."""

    best: Floats
    low: Floats
    high: Floats


def best_of_first(mdp: TabularMDP, first: Floats, second: Floats, steps: int) -> TwoRewards:
    """The optimum of the first reward over all policies that may depend on the time.

    first, second: f64[S, A, K]. steps: the limit; an episode may end earlier. Actions within 1e-9 of the best tie.
    """
    zero = np.zeros(len(mdp.terminal))
    known = TwoRewards(zero, zero, zero)
    for _ in range(steps):
        value = _expected(mdp, first, known.best)
        best = value.max(axis=1)
        tied = value >= (best - TIED * (1.0 + np.abs(best)))[:, None]
        low = _among(tied, _expected(mdp, second, known.low), np.inf).min(axis=1)
        high = _among(tied, _expected(mdp, second, known.high), -np.inf).max(axis=1)
        found = TwoRewards(*(np.where(mdp.terminal, 0.0, each) for each in (best, low, high)))
        settled = all(np.array_equal(new, old) for new, old in zip(found, known, strict=True))
        known = found
        if settled:
            break
    return known


def _expected(mdp: TabularMDP, reward: Floats, value: Floats) -> Floats:
    """f64[S, A]: the reward of a step and the value of what follows."""
    if mdp.is_deterministic:
        return np.asarray(reward[:, :, 0] + value[mdp.next_state[:, :, 0]])
    return np.asarray((mdp.probability * (reward + value[mdp.next_state])).sum(axis=2))


def _among(tied: Booleans, amount: Floats, otherwise: float) -> Floats:
    return np.where(tied, amount, otherwise)
