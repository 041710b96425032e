"""The contract of influence diagrams: acyclic, typed nodes, time that runs forward, one decision a time step."""

from __future__ import annotations

from typing import Any

import networkx as nx

from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.graph import KINDS, InfluenceDiagram, nodes_of_kind
from engine.contracts import refuse
from engine.errors import ContractBroken
from engine.user_code import place_of

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
            raise ContractBroken("a circle among its arrows", place=place_of(family), remedy="let arrows go forward")
        for source, target in made.edges:
            if made.nodes[source]["step"] > made.nodes[target]["step"] and made.nodes[target]["kind"] != "utility":
                refuse(family, family.name, f"{source} -> {target}", "no arrow back in time but to a utility")
        decisions = nodes_of_kind(made, "decision")
        if len(decisions) != horizon:
            refuse(family, family.name, decisions, f"one decision a time step, {horizon} over horizon {horizon}")
        if dict(family(horizon).adjacency()) != dict(made.adjacency()):
            raise ContractBroken("two diagrams for one horizon differ", place=place_of(family), remedy="use t alone")


def _check_node(family: DiagramFamily, diagram: InfluenceDiagram, node: Any) -> None:
    given = diagram.nodes[node]
    if set(given) != {"kind", "letter", "step"} or given["kind"] not in KINDS:
        refuse(family, family.name, f"{node} {dict(given)}", "nodes as add_parents adds them")
