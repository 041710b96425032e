"""Diagrams that belong to no planning agent, one a file; those of agents are read off their kernels."""

from typing import Any

from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.planning_diagram import planning_diagram
from counterfactual.planning_agent import PlanningAgent
from engine.registry import Registry


def accept_diagram(thing: Any) -> DiagramFamily:
    """The declaration, a function made one, or a planning agent's diagram; ContractBroken for everything else."""
    return planning_diagram(thing) if isinstance(thing, PlanningAgent) else DiagramFamily.accept(thing)


INFLUENCE_DIAGRAMS: Registry[DiagramFamily] = Registry(
    "counterfactual.influence.diagrams", "diagram", accept=accept_diagram, group="caregrid.influence_diagrams"
)
