"""Causal influence diagrams over time: nodes typed chance, decision or utility, named by letter and step ("X_0").

A diagram is a `networkx.DiGraph`; `node` and `wire` fill it. H is the horizon, the number of decisions.
Reference: "Counterfactual planning with an input terminal", the diagrams; T. Everitt, R. Carey, E. Langlois,
P. Ortega and S. Legg, "Agent Incentives: A Causal Perspective" (2021), for what such diagrams tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import networkx as nx

from engine.errors import BadValue

Diagram: TypeAlias = "nx.DiGraph[str]"
DiagramOf: TypeAlias = Callable[[int], Diagram]
KINDS = {"A": "decision", "R": "utility"}


def wire(diagram: Diagram, target: str, *sources: str) -> None:
    """Add a node and the edges into it; a letter A is a decision, R a utility, all others are chance."""
    for name in (*sources, target):
        if name not in diagram:
            letter, _, step = name.partition("_")
            diagram.add_node(name, kind=KINDS.get(letter, "chance"), letter=letter, step=int(step))
    diagram.add_edges_from((source, target) for source in sources)


def steps(horizon: int) -> range:
    """The steps of a diagram; BadValue unless there is at least one."""
    if horizon < 1:
        raise BadValue(f"horizon {horizon}", place="diagram", remedy="give at least 1")
    return range(horizon)


def of_kind(diagram: Diagram, kind: str) -> list[str]:
    """All nodes of a kind, in the order in which they were added."""
    return [name for name in diagram if diagram.nodes[name]["kind"] == kind]


def descendants(diagram: Diagram, sources: Iterable[str]) -> set[str]:
    """Everything that can be reached from any of the sources, by at least one edge."""
    reached: set[str] = set()
    open_ = list(sources)
    while open_:
        new = [target for target in diagram.successors(open_.pop()) if target not in reached]
        reached.update(new)
        open_ += new
    return reached


class Reroute(NamedTuple):
    """An arrow whose target now hangs on another node of the same letter."""

    before: tuple[str, str]
    after: tuple[str, str]


class Changes(NamedTuple):
    """How one diagram was made from another: arrows rerouted, arrows deleted, arrows added."""

    rerouted: tuple[Reroute, ...]
    deleted: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, str], ...]


def changes(before: Diagram, after: Diagram) -> Changes:
    """What was rerouted, deleted and added on the way from one diagram to another."""
    gone = [edge for edge in before.edges if not after.has_edge(*edge)]
    new = {edge: None for edge in after.edges if not before.has_edge(*edge)}
    rerouted, deleted = [], []
    for source, target in gone:
        letter = source.partition("_")[0]
        match = next((edge for edge in new if edge[1] == target and edge[0].partition("_")[0] == letter), None)
        if match is None:
            deleted.append((source, target))
        else:
            del new[match]
            rerouted.append(Reroute((source, target), match))
    return Changes(tuple(rerouted), tuple(deleted), tuple(new))
