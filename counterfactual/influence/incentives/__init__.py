"""Graphical criteria of incentives, one a file: `criterion(diagram) -> nodes that meet it`, in the diagram's order."""

from collections.abc import Callable

from counterfactual.influence.graph import Diagram
from engine.registry import Registry

INCENTIVES: Registry[Callable[[Diagram], list[str]]] = Registry("counterfactual.influence.incentives", "incentive")
