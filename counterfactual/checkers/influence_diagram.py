"""The contract of influence diagrams: acyclic, typed nodes, time that runs forward, one decision a time step."""

from __future__ import annotations

from typing import Any

import networkx as nx

from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.graph import NODE_KINDS, InfluenceDiagram, nodes_of_kind
from counterfactual.influence.picture import PLACES
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
            refuse(family, family.name, decisions, f"{horizon} decisions A_0 ... over {horizon} time steps")
        if dict(family(horizon).adjacency()) != dict(made.adjacency()):
            raise ContractBroken("two diagrams for one horizon differ", place=place_of(family), remedy="use t alone")


def _check_node(family: DiagramFamily, diagram: InfluenceDiagram, node: Any) -> None:
    letter, _, step = str(node).partition("_")
    if letter not in PLACES or not step.isdigit():
        refuse(family, family.name, node, f"nodes named by one of {', '.join(PLACES)} and a step, such as X_0")
    expected = {"kind": NODE_KINDS.get(letter, "chance"), "letter": letter, "step": int(step)}
    if diagram.nodes[node] != expected:
        refuse(family, family.name, f"{node} {dict(diagram.nodes[node])}", f"{expected}, as add_parents gives it")
