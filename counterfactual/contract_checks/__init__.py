"""Public checkers, one a kind: each builds a thing as its users would, calls it, and names the first mistake."""

from counterfactual.contract_checks.agents import check_planning_agent
from counterfactual.contract_checks.influence import check_incentive, check_influence_diagram
from counterfactual.contract_checks.worlds import check_factory_rule, check_terminal_world

__all__ = [
    "check_factory_rule",
    "check_incentive",
    "check_influence_diagram",
    "check_planning_agent",
    "check_terminal_world",
]
