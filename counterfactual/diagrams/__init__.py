"""The diagrams, one a file: the learning world and the planning worlds of ITF, ITC and CITC over any horizon."""

from counterfactual.influence import DiagramOf
from engine.registry import Registry

DIAGRAMS: Registry[DiagramOf] = Registry("counterfactual.diagrams", "diagram")
