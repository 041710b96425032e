"""Control incentive: a chance node that a decision influences and that influences a utility.

    A -> ... -> node -> ... -> R

Reference: "Counterfactual planning with an input terminal", section "Control incentives, indifference, and paths to
value"; Everitt et al., "Agent Incentives: A Causal Perspective" (2021), the instrumental control incentive criterion.
"""

from __future__ import annotations

from counterfactual.influence.graph import Diagram, descendants, of_kind


def control_incentive(diagram: Diagram) -> list[str]:
    """Chance nodes that are descendants of a decision and ancestors of a utility, over any number of decisions."""
    influenced = descendants(diagram, of_kind(diagram, "decision"))
    influencing = descendants(diagram.reverse(copy=False), of_kind(diagram, "utility"))
    return [node for node in of_kind(diagram, "chance") if node in influenced & influencing]
