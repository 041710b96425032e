"""The contracts of influence diagrams and of incentive criteria.

A diagram is acyclic, with typed nodes, time that runs forward, and one decision a time step. A criterion gives nodes
of the diagram in its order, and leaves the diagram as it was.
"""

from __future__ import annotations

from typing import Any

import networkx as nx

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.influence.diagrams import INFLUENCE_DIAGRAMS, DiagramFamily, find_diagram
from counterfactual.influence.graph import KINDS, InfluenceDiagram, nodes_of_kind
from counterfactual.influence.incentives import IncentiveCriterion
from engine.contracts import refuse
from engine.errors import BadValue, ContractBroken
from engine.user_code import describe_place

HORIZONS = (1, 2, 5)


def check_influence_diagram(diagram: Any) -> None:
    """Make a diagram over several horizons; ContractBroken for the first mistake.

    diagram: a `DiagramFamily`, or a function (diagram, t) that adds time step t.
    """
    family = DiagramFamily.accept(diagram)
    for horizon in HORIZONS:
        made = family(horizon)
        for node in made:
            _check_node(family, made, node)
        if not nx.is_directed_acyclic_graph(made):
            raise ContractBroken(
                "a circle among its arrows", place=describe_place(family), remedy="let arrows go forward"
            )
        for source, target in made.edges:
            if made.nodes[source]["step"] > made.nodes[target]["step"] and made.nodes[target]["kind"] != "utility":
                refuse(family, family.name, f"{source} -> {target}", "no arrow back in time but to a utility")
        decisions = nodes_of_kind(made, "decision")
        if len(decisions) != horizon:
            refuse(family, family.name, decisions, f"one decision a time step, {horizon} over horizon {horizon}")
        if dict(family(horizon).adjacency()) != dict(made.adjacency()):
            raise ContractBroken(
                "two diagrams for one horizon differ", place=describe_place(family), remedy="use t alone"
            )


def _check_node(family: DiagramFamily, diagram: InfluenceDiagram, node: Any) -> None:
    given = diagram.nodes[node]
    if set(given) != {"kind", "letter", "step"} or given["kind"] not in KINDS:
        refuse(family, family.name, f"{node} {dict(given)}", "nodes as add_parents adds them")


def check_incentive(criterion: Any) -> None:
    """Ask a criterion about every agent's and every registered diagram; ContractBroken for the first mistake.

    criterion: an `IncentiveCriterion`, or a function diagram -> list of nodes. It may refuse, by BadValue, diagrams of
    several decisions.
    """
    accepted = IncentiveCriterion.accept(criterion)
    for name in (*PLANNING_AGENTS.loadable(), *INFLUENCE_DIAGRAMS.loadable()):
        family = find_diagram(name)
        for horizon in (1, 3):
            diagram = family(horizon)
            try:
                nodes = accepted(diagram)
            except BadValue:
                if horizon == 1:
                    raise ContractBroken(
                        f"it refuses the diagram '{name}' of one decision",
                        place=describe_place(accepted),
                        remedy="return an empty list where no node meets it",
                    ) from None
                continue
            if nodes != [node for node in diagram if node in nodes]:
                refuse(accepted, accepted.name, nodes, "every node once, in the diagram's order")
            if dict(diagram.adjacency()) != dict(family(horizon).adjacency()):
                raise ContractBroken("it changes the diagram", place=describe_place(accepted), remedy="change a copy")
