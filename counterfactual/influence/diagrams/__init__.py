"""The diagrams, one a file: the learning world and the planning worlds of ITF, ITC and CITC over any horizon."""

from counterfactual.influence.diagram_family import DiagramFamily
from engine.registry import Registry

INFLUENCE_DIAGRAMS: Registry[DiagramFamily] = Registry(
    "counterfactual.influence.diagrams", "diagram", accept=DiagramFamily.accept, group="caregrid.influence_diagrams"
)
