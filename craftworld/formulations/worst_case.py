"""Eq 2: F(V, P, s') = min over V with P(V) > 0 of V(s'), the worst of the possible returns (section 3.1.1)."""

from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValueDistribution)
def worst_case(others: ValueDistribution) -> Floats:
    """F: f64[S]; value functions of probability 0 do not count."""
    worst: Floats = others.value[others.probability > 0].min(axis=0)
    return worst
