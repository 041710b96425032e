"""Diagrams by name: a planning agent's is read off its kernels, others are declared by themselves."""

from __future__ import annotations

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.diagrams import INFLUENCE_DIAGRAMS
from counterfactual.influence.planning_diagram import planning_diagram
from engine.errors import UnknownName
from engine.user_code import names_user_code


def named_diagram(name: str) -> DiagramFamily:
    """The diagram of a planning agent, or one of `INFLUENCE_DIAGRAMS`.

    name: registered, or `module:attribute` of a `PlanningAgent`, a `DiagramFamily` or a function that adds a time step.
    Raises UnknownName.
    """
    if name in PLANNING_AGENTS:
        return planning_diagram(PLANNING_AGENTS[name])
    if name not in INFLUENCE_DIAGRAMS and not names_user_code(name):
        raise UnknownName("diagram", name, [*PLANNING_AGENTS, *INFLUENCE_DIAGRAMS])
    return INFLUENCE_DIAGRAMS[name]
