"""Control incentive: a chance node that a decision influences and that influences a utility.

    A -> ... -> node -> ... -> R

Reference: "Counterfactual planning with an input terminal", section "Control incentives, indifference, and paths to
value"; Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the instrumental control incentive criterion.
"""

from __future__ import annotations

from counterfactual.influence.graph import InfluenceDiagram, ancestors_of, descendants_of, nodes_of_kind
from counterfactual.influence.incentive_criterion import IncentiveCriterion


@IncentiveCriterion
def control_incentive(diagram: InfluenceDiagram) -> list[str]:
    """Chance nodes that are descendants of a decision and ancestors of a utility, over any number of decisions."""
    influenced = descendants_of(diagram, nodes_of_kind(diagram, "decision"))
    influencing = ancestors_of(diagram, nodes_of_kind(diagram, "utility"))
    return [node for node in nodes_of_kind(diagram, "chance") if node in influenced & influencing]
