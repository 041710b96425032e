"""Eq 5: F = min_i alpha_i sum_j P(V_ij) V_j^(i)(s'), the welfare of the agent worst off (section 3.2, maximin).

Agents without a value function (none possible) are skipped, not counted as 0.

Choice: the care coefficient multiplies the minimum, so that the augmented reward stays linear in it; for coefficients
of at least 0 that is the same as multiplying every alpha_i.
"""

import numpy as np

from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.errors import BadValue
from engine.mdp.mdp import Floats


@at_the_end(weighs=ValueDistribution)
def least_well_off(others: ValueDistribution) -> Floats:
    """F: f64[S]."""
    weighted = (others.weight * others.probability)[:, None] * others.value
    owners = np.array(others.owners)
    possible = dict.fromkeys(owners[others.probability > 0].tolist())
    if not possible:
        raise BadValue("no agent has a value function", place="least_well_off", remedy="give one a probability above 0")
    worst: Floats = np.array([weighted[owners == owner].sum(axis=0) for owner in possible]).min(axis=0)
    return worst
