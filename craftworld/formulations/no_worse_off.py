"""Eq 3: F(V, P, s') = sum_V P(V) min(V(s'), V(s0)): harm counts, help beyond the start state does not (section 3.1.2).

V(s0) is what a newcomer would have got, had the acting agent ended where it began; with several start states each
start has its own baseline.
"""

import numpy as np

from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValueDistribution)
def no_worse_off(others: ValueDistribution) -> Floats:
    """F: f64[S]."""
    return others.probability @ np.minimum(others.value, others.baseline_value[:, None])
