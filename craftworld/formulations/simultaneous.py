"""Eq 6: alpha_1 r_1 + sum_i alpha_i sum_j P(r_ij) r_j^(i)(s, a, s'), agents acting at once (section 3.3).

Every step counts, for as long as anybody acts; the sum runs over the others only. Agents of fixed weight keep theirs;
the care coefficient multiplies the weights of the rest.
"""

import numpy as np

from craftworld.formulations import additive
from craftworld.others.reward_distribution import RewardDistribution
from engine.mdp.mdp import Floats


@additive
def simultaneous(others: RewardDistribution) -> Floats:
    """f64[S, A, K]: what every step adds."""
    return np.tensordot(others.weight * others.probability, others.reward, axes=1)
