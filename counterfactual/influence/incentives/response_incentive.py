"""Response incentive: what an optimal decision has to respond to, for a single decision.

    node -> ... -> A   in the minimal reduction

Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the response incentive criterion.
"""

from __future__ import annotations

from counterfactual.influence.d_separation import minimal_reduction, only_decision
from counterfactual.influence.graph import Diagram, descendants, of_kind


def response_incentive(diagram: Diagram) -> list[str]:
    """Chance nodes from which a path leads to the decision once nonrequisite observations are cut."""
    reduced = minimal_reduction(diagram)
    heard = descendants(reduced.reverse(copy=False), [only_decision(diagram)])
    return [node for node in of_kind(diagram, "chance") if node in heard]
