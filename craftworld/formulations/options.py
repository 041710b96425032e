"""Eq 7: F = sum_I P(I) 1_I(s'), how likely the option that is wanted next can start (appendix A.1)."""

from craftworld.formulation import at_the_end
from craftworld.others.option_distribution import OptionDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=OptionDistribution)
def options(others: OptionDistribution) -> Floats:
    """F: f64[S]."""
    return others.probability @ others.initiation_set
