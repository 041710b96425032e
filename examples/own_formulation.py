#!/usr/bin/env python3
"""A formulation of one's own, a function, beside two of the paper's: an agent that hopes for the best."""

import caregrid
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats


@caregrid.at_the_end(weighs=ValueDistribution)
def best_case(others: ValueDistribution) -> Floats:
    """F: f64[S], the best of the possible returns."""
    best: Floats = others.value[others.probability > 0].max(axis=0)
    return best


for formulation in ("expected", "worst_case", best_case):
    points = caregrid.problem("playroom", formulation).breakpoints()
    print(points.title)
    print(points.frame().round(4).to_string(index=False))
