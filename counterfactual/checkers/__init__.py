"""Public checkers, one a kind: each builds a thing as its users would, calls it, and names the first mistake."""

from counterfactual.checkers.factory_rule import check_factory_rule
from counterfactual.checkers.incentive_criterion import check_incentive
from counterfactual.checkers.influence_diagram import check_influence_diagram
from counterfactual.checkers.planning_agent import check_planning_agent
from counterfactual.checkers.terminal_world import check_terminal_world

__all__ = [
    "check_factory_rule",
    "check_incentive",
    "check_influence_diagram",
    "check_planning_agent",
    "check_terminal_world",
]
