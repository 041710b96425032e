"""Influence diagrams by name, over any horizon: those of planning agents are read off their kernels.

    @DiagramFamily
    def citc(diagram: InfluenceDiagram, t: int) -> None: ...

A family says what one time step adds; the horizon is the number of time steps, and of decisions. The diagram of a
planning agent follows from what the kernels of its planning world depend on:

    X_{t+1} <- next_x     I_{t+1} <- next_signal     R_t <- reward     A_t <- what makes a difference to a reward

An agent that declares nothing is taken to depend on everything; what agents of users and of installed packages declare
is checked by perturbation before it is drawn. Diagrams that belong to no agent are files beside this one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import networkx as nx

from counterfactual.agents import KERNELS, PLANNING_AGENTS, Dependencies, PlanningAgent
from counterfactual.influence.dependencies import check_dependencies, make_small_worlds
from counterfactual.influence.graph import InfluenceDiagram, add_parents
from engine.contracts import DeclaredFunction
from engine.errors import UnknownName
from engine.registry import Registry
from engine.user_code import names_user_code
from engine.value_types import DiagramSteps, require


@dataclass(frozen=True)
class DiagramFamily(DeclaredFunction):
    """Declares a function that adds the nodes and edges of time step t = 0, 1, ... with `graph.add_parents`."""

    kind = "diagram"
    arguments = ("diagram", "t")

    def __call__(self, horizon: int) -> InfluenceDiagram:
        """Return the diagram over a number of time steps; BadValue for a number that `DiagramSteps` does not have."""
        require("horizon", horizon, DiagramSteps, "diagram")
        diagram: InfluenceDiagram = nx.DiGraph()
        for t in range(horizon):
            self.call(diagram, t)
        return diagram


def make_planning_diagram(agent: PlanningAgent) -> DiagramFamily:
    """Return the diagram of an agent's planning world over any horizon."""
    depends = agent.dependencies or Dependencies(**KERNELS)

    def step(diagram: InfluenceDiagram, t: int) -> None:
        add_parents(diagram, f"A_{t}", *_name_nodes(depends.action, t))
        add_parents(diagram, f"X_{t + 1}", *_name_nodes(depends.next_x, t))
        if depends.next_signal:
            add_parents(diagram, f"I_{t + 1}", *_name_nodes(depends.next_signal, t))
        add_parents(diagram, f"R_{t}", *_name_nodes(depends.reward, t))

    step.__name__, step.__doc__ = agent.name, agent.__doc__
    return DiagramFamily(step)


def _name_nodes(names: Iterable[str], t: int) -> list[str]:
    """Return the nodes that the names of `Dependencies` stand for at time step t."""
    return [name if name == "I_0" else f"{name[0]}_{t + name.endswith(chr(39))}" for name in names]


def accept_diagram(thing: Any) -> DiagramFamily:
    """Return the declaration, a function made one, or a planning agent's diagram; ContractBroken for everything else.

    A planning agent's is refused where it depends on what it does not declare.
    """
    return _draw_checked(thing) if isinstance(thing, PlanningAgent) else DiagramFamily.accept(thing)


@lru_cache(maxsize=16)
def _draw_checked(agent: PlanningAgent) -> DiagramFamily:
    for learned in make_small_worlds():
        check_dependencies(agent, learned)
    return make_planning_diagram(agent)


INFLUENCE_DIAGRAMS: Registry[DiagramFamily] = Registry(
    "counterfactual.influence.diagrams", "diagram", accept=accept_diagram, group="caregrid.influence_diagrams"
)


def find_diagram(name: str) -> DiagramFamily:
    """Return the diagram of a planning agent, or one of `INFLUENCE_DIAGRAMS`.

    name: registered, or `module:attribute` of a `PlanningAgent`, a `DiagramFamily` or a function that adds a time step.
    Raises UnknownName.
    """
    if name in PLANNING_AGENTS:
        agent = PLANNING_AGENTS[name]
        return accept_diagram(agent) if name in PLANNING_AGENTS.find_installed() else make_planning_diagram(agent)
    if name not in INFLUENCE_DIAGRAMS and not names_user_code(name):
        raise UnknownName("diagram", name, [*PLANNING_AGENTS, *INFLUENCE_DIAGRAMS])
    return INFLUENCE_DIAGRAMS[name]
