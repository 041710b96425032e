"""Eq 4: F = sum_i alpha_i sum_j P(V_ij) V_j^(i)(s'), a caring coefficient for every agent (section 3.2).

Agents of fixed weight keep theirs; the care coefficient multiplies the weights of the rest.
"""

from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValueDistribution, additive=True)
def per_agent(others: ValueDistribution) -> Floats:
    """F: f64[S]."""
    return (others.weight * others.probability) @ others.value
