"""The diagrams, one a file: the learning world and the planning worlds of ITF, ITC and CITC over any horizon."""

from counterfactual.influence.graph import DiagramBuilder
from engine.registry import Registry

INFLUENCE_DIAGRAMS: Registry[DiagramBuilder] = Registry(
    "counterfactual.influence.diagrams", "diagram", group="caregrid.influence_diagrams"
)
