"""Response incentive: what an optimal decision has to respond to, for a single decision.

    node -> ... -> A   in the minimal reduction

Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the response incentive criterion.
"""

from __future__ import annotations

import networkx as nx

from counterfactual.influence.d_separation import minimal_reduction, single_decision
from counterfactual.influence.graph import InfluenceDiagram, nodes_of_kind
from counterfactual.influence.incentive_criterion import IncentiveCriterion


@IncentiveCriterion
def response_incentive(diagram: InfluenceDiagram) -> list[str]:
    """Chance nodes from which a path leads to the decision once nonrequisite observations are cut."""
    influencing = nx.ancestors(minimal_reduction(diagram), single_decision(diagram))
    return [node for node in nodes_of_kind(diagram, "chance") if node in influencing]
