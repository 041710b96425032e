"""The incentive criteria of Everitt et al.: what an agent has reason to control, to respond to, or to know.

    control      A -> ... -> node -> ... -> R
    response     node -> ... -> A   in the minimal reduction
    setting      node -> ... -> R   in the minimal reduction
    knowing      with node -> A added, node is d-connected with R_A given (Pa_A and A) without node

`control_incentive` holds over any number of decisions, the others for a single one. Reference: Everitt et al., "Agent
Incentives: A Causal Perspective" (2021).
"""

from __future__ import annotations

import networkx as nx

from counterfactual.influence.graph import (
    InfluenceDiagram,
    ancestors_of,
    descendants_of,
    find_single_decision,
    is_requisite,
    minimal_reduction,
    nodes_of_kind,
)
from counterfactual.influence.incentives import IncentiveCriterion

__all__ = ["control_incentive", "response_incentive", "value_of_control", "value_of_information"]


@IncentiveCriterion
def control_incentive(diagram: InfluenceDiagram) -> list[str]:
    """Control incentive: a chance node that a decision influences and that influences a utility.

        A -> ... -> node -> ... -> R

    Reference: "Counterfactual planning with an input terminal", section "Control incentives, indifference, and paths to
    value"; Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the instrumental control incentive
    criterion.
    """
    influenced = descendants_of(diagram, nodes_of_kind(diagram, "decision"))
    influencing = ancestors_of(diagram, nodes_of_kind(diagram, "utility"))
    return [node for node in nodes_of_kind(diagram, "chance") if node in influenced & influencing]


@IncentiveCriterion
def response_incentive(diagram: InfluenceDiagram) -> list[str]:
    """Response incentive: what an optimal decision has to respond to, for a single decision.

        node -> ... -> A   in the minimal reduction

    Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the response incentive criterion.
    """
    influencing = nx.ancestors(minimal_reduction(diagram), find_single_decision(diagram))
    return [node for node in nodes_of_kind(diagram, "chance") if node in influencing]


@IncentiveCriterion
def value_of_control(diagram: InfluenceDiagram) -> list[str]:
    """Value of control: what would be worth setting before a single decision.

        node -> ... -> R   in the minimal reduction

    Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the value of control criterion.
    """
    influencing = ancestors_of(minimal_reduction(diagram), nodes_of_kind(diagram, "utility"))
    return [node for node in nodes_of_kind(diagram, "chance") if node in influencing]


@IncentiveCriterion
def value_of_information(diagram: InfluenceDiagram) -> list[str]:
    """Value of information: what is worth knowing before a single decision.

        node is no descendant of A
        with node -> A added, node is d-connected with R_A given (Pa_A and A) without node

    Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the value of information criterion.
    """
    decision = find_single_decision(diagram)
    later = nx.descendants(diagram, decision)
    return [
        node
        for node in nodes_of_kind(diagram, "chance")
        if node not in later and _is_worth_observing(diagram, node, decision)
    ]


def _is_worth_observing(diagram: InfluenceDiagram, node: str, decision: str) -> bool:
    observed = diagram.copy()
    observed.add_edge(node, decision)
    return is_requisite(observed, node)
