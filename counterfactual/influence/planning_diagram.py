"""The influence diagram of a planning agent, read off what the kernels of its planning world depend on.

    X_{t+1} <- next_x     I_{t+1} <- next_signal     R_t <- reward     A_t <- what makes a difference to a reward

An agent that declares nothing is taken to depend on everything.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterfactual.dependencies import Dependencies
from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.graph import InfluenceDiagram, add_parents
from counterfactual.planning_agent import PlanningAgent


def planning_diagram(agent: PlanningAgent) -> DiagramFamily:
    """The diagram of an agent's planning world over any horizon."""
    depends = agent.dependencies or Dependencies()

    def step(diagram: InfluenceDiagram, t: int) -> None:
        add_parents(diagram, f"A_{t}", *_nodes(depends.action, t))
        add_parents(diagram, f"X_{t + 1}", *_nodes(depends.next_x, t))
        if depends.next_signal:
            add_parents(diagram, f"I_{t + 1}", *_nodes(depends.next_signal, t))
        add_parents(diagram, f"R_{t}", *_nodes(depends.reward, t))

    step.__name__, step.__doc__ = agent.name, agent.__doc__
    return DiagramFamily(step)


def _nodes(names: Iterable[str], t: int) -> list[str]:
    """The nodes that the names of `Dependencies` stand for at time step t."""
    return [name if name == "I_0" else f"{name[0]}_{t + name.endswith(chr(39))}" for name in names]
