"""Eq 8 with the discount that Eq 7 has: F = sum_<I,V> P(<I,V>) 1_I(s') V(s') (appendix A.1).

Differs from the paper
- its printed Eq 8 does not discount the sum: that is the formulation `options_with_values_printed`.
"""

from craftworld.formulation import at_the_end
from craftworld.others.option_distribution import ValuedOptionDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValuedOptionDistribution)
def options_with_values(others: ValuedOptionDistribution) -> Floats:
    """F: f64[S]."""
    return others.probability @ (others.initiation_set * others.value)
