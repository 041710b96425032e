"""Which observations of a single decision matter: the minimal reduction of its diagram.

    W in Pa_A is nonrequisite   iff   W is d-separated from R_A given (Pa_A and A) without W

R_A are the utilities that the decision can influence. Reference: Everitt et al. (2021), requisite observations and
the minimal reduction.
"""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from counterfactual.influence.graph import Diagram, descendants, of_kind
from engine.errors import BadValue


def only_decision(diagram: Diagram) -> str:
    """The one decision of a diagram; BadValue where there are more or none."""
    decisions = of_kind(diagram, "decision")
    if len(decisions) != 1:
        raise BadValue(
            f"{len(decisions)} decisions where the criterion is about one", place="diagram", remedy="take horizon 1"
        )
    return decisions[0]


def own_utilities(diagram: Diagram) -> list[str]:
    """The utilities that the one decision can influence."""
    reached = descendants(diagram, [only_decision(diagram)])
    return [node for node in of_kind(diagram, "utility") if node in reached]


def is_requisite(diagram: Diagram, node: str) -> bool:
    """Whether an observation of the one decision carries information on its utilities beyond the other ones."""
    decision = only_decision(diagram)
    given = {*diagram.predecessors(decision), decision} - {node}
    return connected(diagram, node, own_utilities(diagram), given)


def connected(diagram: Diagram, node: str, others: Iterable[str], given: set[str]) -> bool:
    """Whether a node is d-connected with any of the others."""
    open_ = [other for other in others if other not in given]
    return any(other == node or not nx.is_d_separator(diagram, {node}, {other}, given) for other in open_)


def minimal_reduction(diagram: Diagram) -> Diagram:
    """The diagram without the information links from nonrequisite observations."""
    decision, reduced = only_decision(diagram), diagram.copy()
    links = [(node, decision) for node in diagram.predecessors(decision) if not is_requisite(diagram, node)]
    reduced.remove_edges_from(links)
    return reduced
