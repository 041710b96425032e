"""Eq 8 as printed: alpha_1 r_1 + alpha_2 sum_<I,V> P(<I,V>) 1_I(s') V(s'), undiscounted (appendix A.1)."""

from craftworld.formulation import at_the_end
from craftworld.others.option_distribution import ValuedOptionDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValuedOptionDistribution, discounted=False)
def options_with_values_printed(others: ValuedOptionDistribution) -> Floats:
    """F: f64[S]."""
    return others.probability @ (others.initiation_set * others.value)
