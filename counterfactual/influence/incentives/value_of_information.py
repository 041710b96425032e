"""Value of information: what is worth knowing before a single decision.

    node is no descendant of A, and, with node -> A added, node is d-connected with R_A given (Pa_A and A) without node

Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the value of information criterion.
"""

from __future__ import annotations

import networkx as nx

from counterfactual.influence.d_separation import is_requisite, single_decision
from counterfactual.influence.graph import InfluenceDiagram, nodes_of_kind
from counterfactual.influence.incentive_criterion import IncentiveCriterion


@IncentiveCriterion
def value_of_information(diagram: InfluenceDiagram) -> list[str]:
    """Chance nodes that are worth observing, observed already or not."""
    decision = single_decision(diagram)
    later = nx.descendants(diagram, decision)
    return [node for node in nodes_of_kind(diagram, "chance") if node not in later and _worth(diagram, node, decision)]


def _worth(diagram: InfluenceDiagram, node: str, decision: str) -> bool:
    observed = diagram.copy()
    observed.add_edge(node, decision)
    return is_requisite(observed, node)
