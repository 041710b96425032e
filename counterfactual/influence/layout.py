"""Where the nodes of a diagram are drawn: by time step and letter, or by depth where a diagram has words of its own."""

from __future__ import annotations

from typing import TypeAlias

import networkx as nx

from counterfactual.influence.graph import InfluenceDiagram

NodePlace: TypeAlias = tuple[int, int]
"""x and y in pixels."""

WIDTH, TOP, LEFT = 150, 95, 40
PLACES = {"I": (0, 0), "X": (0, 90), "A": (45, 170), "R": (95, 240), "P": (0, 310), "Q": (0, 380)}
SPREAD, STAGGER = 130, 15  # from column to column by depth, and within one from row to row


def places(diagram: InfluenceDiagram) -> dict[str, NodePlace]:
    """The place of every node; the same diagram always looks the same."""
    if all(letter in PLACES for letter in nx.get_node_attributes(diagram, "letter").values()):
        return {node: _by_letter(**diagram.nodes[node]) for node in diagram}
    return {
        node: (LEFT + 20 + SPREAD * column + STAGGER * row, TOP + 90 * row)
        for column, nodes in enumerate(nx.topological_generations(diagram))
        for row, node in enumerate(nodes)
    }


def _by_letter(kind: str, letter: str, step: int) -> NodePlace:
    right, down = PLACES[letter]
    return LEFT + WIDTH * step + right, TOP + down


def size(diagram: InfluenceDiagram) -> tuple[int, int]:
    """Width and height of a picture in pixels."""
    columns, rows = zip(*places(diagram).values(), strict=True)
    return max(columns) + 60, max(rows) + 100
