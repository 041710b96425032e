"""Influence diagrams over time as graphs: typed nodes, which observations matter, and how one was made from another.

Nodes are chance, decision or utility, named by a word and a step ("X_0", "Grade_0"). A diagram is a
`networkx.DiGraph`; `add_parents` fills it. The minimal reduction of a diagram with a single decision A leaves out
observations W with

    W in Pa_A is nonrequisite   iff   W is d-separated from R_A given (Pa_A and A) without W

R_A are the utilities that the decision can influence. Two diagrams are compared by the arrows that were rerouted,
deleted and added. Reference: "Counterfactual planning with an input terminal", the diagrams; T. Everitt, R. Carey, E.
Langlois, P. Ortega and S. Legg, "Agent Incentives: A Causal Perspective" (2021), for what such diagrams imply,
requisite observations and the minimal reduction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import networkx as nx

from engine.errors import BadValue, ContractBroken, UnknownName
from engine.user_code import find_users_line

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
        raise ContractBroken(problem, place=find_users_line(), remedy=remedy)
    for name in (*parents, node):
        if name not in diagram:
            diagram.add_node(name, **_read_name(name))
    if kind is not None:
        diagram.nodes[node]["kind"] = kind
    diagram.add_edges_from((parent, node) for parent in parents)


def _read_name(name: str) -> dict[str, str | int]:
    """Read a node's name: its default kind, its word and its step."""
    word, _, step = str(name).rpartition("_")
    if not word.isidentifier() or not step.isdecimal():
        remedy = "name it by a word and a time step, as in X_0 or Grade_0"
        raise ContractBroken(f"node {name!r}", place=find_users_line(), remedy=remedy)
    return {"kind": NODE_KINDS.get(word, "chance"), "letter": word, "step": int(step)}


def nodes_of_kind(diagram: InfluenceDiagram, kind: str) -> list[str]:
    """Return all nodes of a kind ("chance", "decision", "utility"), in the order of adding; UnknownName."""
    if kind not in KINDS:
        raise UnknownName("kind of node", str(kind), KINDS, place=find_users_line())
    return [name for name in diagram if diagram.nodes[name]["kind"] == kind]


def descendants_of(diagram: InfluenceDiagram, nodes: Iterable[str]) -> set[str]:
    """Return every node that a directed path reaches from any of the nodes."""
    return {reached for node in nodes for reached in nx.descendants(diagram, node)}


def ancestors_of(diagram: InfluenceDiagram, nodes: Iterable[str]) -> set[str]:
    """Return every node from which a directed path reaches any of the nodes."""
    return {reaching for node in nodes for reaching in nx.ancestors(diagram, node)}


def find_single_decision(diagram: InfluenceDiagram) -> str:
    """Return the one decision of a diagram; BadValue where there are more or none."""
    decisions = nodes_of_kind(diagram, "decision")
    if len(decisions) != 1:
        raise BadValue(
            f"{len(decisions)} decisions where the criterion is about one", place="diagram", remedy="choose horizon 1"
        )
    return decisions[0]


def find_influenced_utilities(diagram: InfluenceDiagram) -> list[str]:
    """Return the utilities that the single decision can influence."""
    influenced = nx.descendants(diagram, find_single_decision(diagram))
    return [node for node in nodes_of_kind(diagram, "utility") if node in influenced]


def is_requisite(diagram: InfluenceDiagram, node: str) -> bool:
    """Whether an observation of the single decision has information on its utilities beyond the other observations."""
    decision = find_single_decision(diagram)
    given = {*diagram.predecessors(decision), decision} - {node}
    return is_d_connected(diagram, node, find_influenced_utilities(diagram), given)


def is_d_connected(diagram: InfluenceDiagram, node: str, others: Iterable[str], given: set[str]) -> bool:
    """Return whether a node is d-connected with any of the others, given a set of nodes."""
    targets = set(others) - given
    return node in targets or not nx.is_d_separator(diagram, {node}, targets, given)


def minimal_reduction(diagram: InfluenceDiagram) -> InfluenceDiagram:
    """Return the diagram without the information links from nonrequisite observations."""
    decision = find_single_decision(diagram)
    reduced = diagram.copy()
    links = [(node, decision) for node in diagram.predecessors(decision) if not is_requisite(diagram, node)]
    reduced.remove_edges_from(links)
    return reduced


class Reroute(NamedTuple):
    """An arrow that now starts at another node of the same letter."""

    before: tuple[str, str]
    after: tuple[str, str]


class Rewiring(NamedTuple):
    """Arrows rerouted, arrows deleted, arrows added."""

    rerouted: tuple[Reroute, ...]
    deleted: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, str], ...]


def find_rewiring(before: InfluenceDiagram, after: InfluenceDiagram) -> Rewiring:
    """Return what was rerouted, deleted and added on the way from one diagram to another."""
    removed = [edge for edge in before.edges if not after.has_edge(*edge)]
    new = {edge: None for edge in after.edges if not before.has_edge(*edge)}
    rerouted, deleted = [], []
    for source, target in removed:
        letter = source.partition("_")[0]
        match = next((edge for edge in new if edge[1] == target and edge[0].partition("_")[0] == letter), None)
        if match is None:
            deleted.append((source, target))
        else:
            del new[match]
            rerouted.append(Reroute((source, target), match))
    return Rewiring(tuple(rerouted), tuple(deleted), tuple(new))
