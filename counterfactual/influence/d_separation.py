"""Which observations of a single decision matter: the minimal reduction of its diagram.

    W in Pa_A is nonrequisite   iff   W is d-separated from R_A given (Pa_A and A) without W

R_A are the utilities that the decision can influence. Reference: Everitt et al. (2021), requisite observations and
the minimal reduction.
"""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from counterfactual.influence.graph import InfluenceDiagram, nodes_of_kind
from engine.errors import BadValue


def single_decision(diagram: InfluenceDiagram) -> str:
    """The one decision of a diagram; BadValue where there are more or none."""
    decisions = nodes_of_kind(diagram, "decision")
    if len(decisions) != 1:
        raise BadValue(
            f"{len(decisions)} decisions where the criterion is about one", place="diagram", remedy="choose horizon 1"
        )
    return decisions[0]


def influenced_utilities(diagram: InfluenceDiagram) -> list[str]:
    """The utilities that the single decision can influence."""
    influenced = nx.descendants(diagram, single_decision(diagram))
    return [node for node in nodes_of_kind(diagram, "utility") if node in influenced]


def is_requisite(diagram: InfluenceDiagram, node: str) -> bool:
    """Whether an observation of the single decision has information on its utilities beyond the other observations."""
    decision = single_decision(diagram)
    given = {*diagram.predecessors(decision), decision} - {node}
    return is_d_connected(diagram, node, influenced_utilities(diagram), given)


def is_d_connected(diagram: InfluenceDiagram, node: str, others: Iterable[str], given: set[str]) -> bool:
    """Whether a node is d-connected with any of the others, given a set of nodes."""
    targets = set(others) - given
    return node in targets or not nx.is_d_separator(diagram, {node}, targets, given)


def minimal_reduction(diagram: InfluenceDiagram) -> InfluenceDiagram:
    """The diagram without the information links from nonrequisite observations."""
    decision, reduced = single_decision(diagram), diagram.copy()
    links = [(node, decision) for node in diagram.predecessors(decision) if not is_requisite(diagram, node)]
    reduced.remove_edges_from(links)
    return reduced
