"""Influence diagrams over time: nodes typed chance, decision or utility, named by a word and a step ("X_0", "Grade_0").

A diagram is a `networkx.DiGraph`; `add_parents` fills it.
Reference: "Counterfactual planning with an input terminal", the diagrams; T. Everitt, R. Carey, E. Langlois,
P. Ortega and S. Legg, "Agent Incentives: A Causal Perspective" (2021), for what such diagrams imply.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import networkx as nx

from engine.errors import ContractBroken
from engine.user_code import users_line

InfluenceDiagram: TypeAlias = "nx.DiGraph[str]"
KINDS = ("chance", "decision", "utility")
NODE_KINDS = {"A": "decision", "R": "utility"}


def add_parents(diagram: InfluenceDiagram, node: str, *parents: str, kind: str | None = None) -> None:
    """Add a node and the edges into it; ContractBroken for a name or a kind that is none.

    node, parents: a word and a time step, as in "X_0". kind: of the node, one of `KINDS`; by default A is a decision,
    R a utility, and every other word chance.
    """
    if kind not in (None, *KINDS):
        problem, remedy = f"node {node!r} of kind {kind!r}", f"choose from {', '.join(KINDS)}"
        raise ContractBroken(problem, place=users_line(), remedy=remedy)
    for name in (*parents, node):
        if name not in diagram:
            diagram.add_node(name, **_attributes(name))
    if kind is not None:
        diagram.nodes[node]["kind"] = kind
    diagram.add_edges_from((parent, node) for parent in parents)


def _attributes(name: str) -> dict[str, str | int]:
    """What the name of a node says: its kind, unless another is given, its word and its step."""
    word, _, step = str(name).rpartition("_")
    if not word.isidentifier() or not step.isdecimal():
        remedy = "name it by a word and a time step, as in X_0 or Grade_0"
        raise ContractBroken(f"node {name!r}", place=users_line(), remedy=remedy)
    return {"kind": NODE_KINDS.get(word, "chance"), "letter": word, "step": int(step)}


def nodes_of_kind(diagram: InfluenceDiagram, kind: str) -> list[str]:
    """All nodes of a kind ("chance", "decision", "utility"), in the order in which they were added."""
    return [name for name in diagram if diagram.nodes[name]["kind"] == kind]


def descendants_of(diagram: InfluenceDiagram, nodes: Iterable[str]) -> set[str]:
    """Every node that a directed path reaches from any of the nodes."""
    return {reached for node in nodes for reached in nx.descendants(diagram, node)}


def ancestors_of(diagram: InfluenceDiagram, nodes: Iterable[str]) -> set[str]:
    """Every node from which a directed path reaches any of the nodes."""
    return {reaching for node in nodes for reaching in nx.ancestors(diagram, node)}
