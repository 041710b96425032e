"""Influence diagrams over time: nodes typed chance, decision or utility, named by letter and step ("X_0").

A diagram is a `networkx.DiGraph`; `add_parents` fills it.
Reference: "Counterfactual planning with an input terminal", the diagrams; T. Everitt, R. Carey, E. Langlois,
P. Ortega and S. Legg, "Agent Incentives: A Causal Perspective" (2021), for what such diagrams imply.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import networkx as nx

InfluenceDiagram: TypeAlias = "nx.DiGraph[str]"
NODE_KINDS = {"A": "decision", "R": "utility"}


def add_parents(diagram: InfluenceDiagram, node: str, *parents: str) -> None:
    """Add a node and the edges into it; a letter A is a decision, R a utility, all others are chance."""
    for name in (*parents, node):
        if name not in diagram:
            letter, _, step = name.partition("_")
            diagram.add_node(name, kind=NODE_KINDS.get(letter, "chance"), letter=letter, step=int(step))
    diagram.add_edges_from((parent, node) for parent in parents)


def nodes_of_kind(diagram: InfluenceDiagram, kind: str) -> list[str]:
    """All nodes of a kind ("chance", "decision", "utility"), in the order in which they were added."""
    return [name for name in diagram if diagram.nodes[name]["kind"] == kind]


def descendants_of(diagram: InfluenceDiagram, nodes: Iterable[str]) -> set[str]:
    """Every node that a directed path reaches from any of the nodes."""
    return {reached for node in nodes for reached in nx.descendants(diagram, node)}


def ancestors_of(diagram: InfluenceDiagram, nodes: Iterable[str]) -> set[str]:
    """Every node from which a directed path reaches any of the nodes."""
    return {reaching for node in nodes for reaching in nx.ancestors(diagram, node)}
