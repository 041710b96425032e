"""Graphical criteria of incentives, one a file: `criterion(diagram) -> nodes that meet it`, in the diagram's order."""

from counterfactual.influence.incentive_criterion import IncentiveCriterion
from engine.registry import Registry

INCENTIVES: Registry[IncentiveCriterion] = Registry(
    "counterfactual.influence.incentives", "incentive", accept=IncentiveCriterion.accept
)
