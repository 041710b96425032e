"""Incentives: graphical criteria, functions from an influence diagram to the nodes that meet them, in its order.

@IncentiveCriterion
def control_incentive(diagram: InfluenceDiagram) -> list[str]: ...
"""

from __future__ import annotations

from dataclasses import dataclass

from counterfactual.influence.graph import InfluenceDiagram
from engine.contracts import DeclaredFunction, refuse
from engine.registry import Registry


@dataclass(frozen=True)
class IncentiveCriterion(DeclaredFunction):
    """Declares a function diagram -> the nodes that meet a criterion, in the diagram's order."""

    kind = "incentive"
    arguments = ("diagram",)

    def __call__(self, diagram: InfluenceDiagram) -> list[str]:
        """The nodes that meet the criterion; ContractBroken where the function raises or returns anything else."""
        nodes = self.call(diagram)
        if not isinstance(nodes, list) or not all(node in diagram for node in nodes):
            refuse(self.function, self.name, nodes, "a list of nodes of the diagram")
        return nodes


INCENTIVES: Registry[IncentiveCriterion] = Registry(
    "counterfactual.influence.incentives", "incentive", accept=IncentiveCriterion.accept
)
