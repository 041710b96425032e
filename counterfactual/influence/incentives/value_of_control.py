"""Value of control: what would be worth setting before a single decision.

    node -> ... -> R   in the minimal reduction

Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the value of control criterion.
"""

from __future__ import annotations

from counterfactual.influence.d_separation import minimal_reduction
from counterfactual.influence.graph import InfluenceDiagram, ancestors_of, nodes_of_kind
from counterfactual.influence.incentive_criterion import IncentiveCriterion


@IncentiveCriterion
def value_of_control(diagram: InfluenceDiagram) -> list[str]:
    """Chance nodes from which a path leads to a utility once nonrequisite observations are cut."""
    influencing = ancestors_of(minimal_reduction(diagram), nodes_of_kind(diagram, "utility"))
    return [node for node in nodes_of_kind(diagram, "chance") if node in influencing]
