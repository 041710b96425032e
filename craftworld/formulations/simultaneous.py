"""Eq 6: alpha_1 r_1 + sum_i alpha_i sum_j P(r_ij) r_j^(i)(s, a, s'), agents acting at once (section 3.3).

Every step counts, for as long as anybody acts; the sum runs over the others only. Agents of fixed weight keep theirs;
the care coefficient multiplies the weights of the rest.
"""

from craftworld.formulation import at_every_step
from craftworld.others.reward_distribution import RewardDistribution
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=RewardDistribution, additive=True)
def simultaneous(others: RewardDistribution, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds."""
    return others.weighed(others.weight * others.probability)
