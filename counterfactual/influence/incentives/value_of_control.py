"""Value of control: what would be worth setting before a single decision.

    node -> ... -> R   in the minimal reduction

Reference: Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the value of control criterion.
"""

from __future__ import annotations

from counterfactual.influence.d_separation import minimal_reduction
from counterfactual.influence.graph import Diagram, descendants, of_kind


def value_of_control(diagram: Diagram) -> list[str]:
    """Chance nodes from which a path leads to a utility once nonrequisite observations are cut."""
    paying = descendants(minimal_reduction(diagram).reverse(copy=False), of_kind(diagram, "utility"))
    return [node for node in of_kind(diagram, "chance") if node in paying]
