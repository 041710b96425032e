"""Eq 1: F(V, P, s') = sum_V P(V) V(s'), the expected return of those who come next ("Be Considerate", section 3.1)."""

from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValueDistribution)
def expected(others: ValueDistribution) -> Floats:
    """F: f64[S]."""
    return others.probability @ others.value
