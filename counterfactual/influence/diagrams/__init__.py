"""The diagrams, one a file: the learning world and the planning worlds of ITF, ITC and CITC over any horizon."""

from counterfactual.influence.graph import DiagramOf
from engine.registry import Registry

DIAGRAMS: Registry[DiagramOf] = Registry("counterfactual.influence.diagrams", "diagram")
