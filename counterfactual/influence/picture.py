"""Pictures of influence diagrams: where the nodes lie, what stands out, and a scene for any renderer.

Circles are chance, squares decisions, diamonds utilities; rerouted arrows are green, and a node with a control
incentive has an orange ring. Nodes are placed by time step and letter, or by depth where a diagram has words of its
own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import networkx as nx

from counterfactual.influence.diagrams import find_diagram
from counterfactual.influence.graph import InfluenceDiagram, Rewiring, find_rewiring, nodes_of_kind
from counterfactual.influence.incentives import INCENTIVES
from engine.scene import Edge, Graph, Key, Node, Scene

NodePlace: TypeAlias = tuple[int, int]
"""x and y in pixels."""

WIDTH, TOP, LEFT = 150, 95, 40
LETTER_PLACES = {"I": (0, 0), "X": (0, 90), "S": (0, 90), "A": (45, 170), "R": (95, 240), "P": (0, 310), "Q": (0, 380)}
SPREAD, STAGGER = 130, 15  # from column to column by depth, and within one from row to row


def place_nodes(diagram: InfluenceDiagram) -> dict[str, NodePlace]:
    """Return the place of every node; the same diagram always looks the same."""
    if all(letter in LETTER_PLACES for letter in nx.get_node_attributes(diagram, "letter").values()):
        return {node: _place_by_letter(**diagram.nodes[node]) for node in diagram}
    return {
        node: (LEFT + 20 + SPREAD * column + STAGGER * row, TOP + 90 * row)
        for column, nodes in enumerate(nx.topological_generations(diagram))
        for row, node in enumerate(nodes)
    }


def _place_by_letter(kind: str, letter: str, step: int) -> NodePlace:
    right, down = LETTER_PLACES[letter]
    return LEFT + WIDTH * step + right, TOP + down


def measure_picture(diagram: InfluenceDiagram) -> tuple[int, int]:
    """Width and height of a picture in pixels."""
    columns, rows = zip(*place_nodes(diagram).values(), strict=True)
    return max(columns) + 60, max(rows) + 100


SHAPES = {"chance": "circle", "decision": "square", "utility": "diamond"}
RULED_OUT = "The graph rules out a direct incentive on the signal only; indirect ones can remain."
ALLOWED = "The graph allows an incentive on the signal itself."
WITHOUT_SIGNAL = "The graph rules incentives out; whether those that it allows are there depends on the numbers."
PLANNING_WORLD = frozenset("IXAR")


class DiagramPicture(NamedTuple):
    """A diagram with what its picture points out.

    incentives: the nodes with a control incentive. made: how it was made from ITF's diagram. single_decision: criterion
    -> nodes that meet it, of the criteria for one decision, where there is one.
    """

    title: str
    diagram: InfluenceDiagram
    incentives: list[str]
    made: Rewiring
    single_decision: dict[str, list[str]]

    @property
    def has_utility(self) -> bool:
        """Whether there is anything to have an incentive for."""
        return bool(nodes_of_kind(self.diagram, "utility"))

    @property
    def rerouted(self) -> set[tuple[str, str]]:
        """The rerouted arrows where they lie now."""
        return {reroute.after for reroute in self.made.rerouted}

    @property
    def note(self) -> str:
        """What the diagram says about the signal, and what it leaves open."""
        if "I" not in _list_words(self.diagram):
            return WITHOUT_SIGNAL
        return ALLOWED if any(node.startswith("I_") for node in self.incentives) else RULED_OUT


def make_diagram_picture(name: str, horizon: int) -> DiagramPicture:
    """Return the named diagram, its control incentives and, for planning worlds, how it was made from ITF's.

    name: a planning agent, a registered diagram, or `module:attribute`. horizon: the number of decisions.
    """
    diagram = find_diagram(name)(horizon)
    if not nodes_of_kind(diagram, "utility"):
        return DiagramPicture(f"{name.replace('_', ' ')} world", diagram, [], Rewiring((), (), ()), {})
    is_planning_world = _list_words(diagram) <= PLANNING_WORLD
    made = find_rewiring(find_diagram("itf")(horizon), diagram) if is_planning_world else Rewiring((), (), ())
    criteria = INCENTIVES.loadable() if horizon == 1 else {}
    single = {name: criterion(diagram) for name, criterion in criteria.items() if name != "control_incentive"}
    incentives = INCENTIVES["control_incentive"](diagram)
    title = f"planning world of {name.upper()}" if is_planning_world else name
    return DiagramPicture(title, diagram, incentives, made, single)


def _list_words(diagram: InfluenceDiagram) -> set[str]:
    """Return the words of the nodes' names."""
    return {diagram.nodes[node]["letter"] for node in diagram}


def draw_diagram_scene(shown: DiagramPicture) -> Scene:
    """Return the picture as a scene: green arrows were rerouted, nodes with an orange ring have a control incentive."""
    width, height = measure_picture(shown.diagram)
    nodes = []
    for name, (x, y) in place_nodes(shown.diagram).items():
        attributes = shown.diagram.nodes[name]
        role = "record" if _is_record(name, shown.diagram) else ROLES.get(attributes["kind"], "plain")
        ring = "danger" if name in shown.incentives else ""
        shape, letter, step = SHAPES[attributes["kind"]], attributes["letter"], str(attributes["step"])
        nodes.append(Node(name, x / width, y / height, letter, role, shape, subscript=step, ring=ring))
    edges = tuple(
        Edge(source, target, "changed" if (source, target) in shown.rerouted else "plain")
        for source, target in shown.diagram.edges
    )
    caption = f"{shown.title}. {shown.note}" if shown.incentives else shown.title
    graph = Graph("", tuple(nodes), edges, tuple(_list_keys(shown, {node.role for node in nodes})))
    return Scene(caption=caption.removesuffix("."), charts=(graph,))


ROLES = {"decision": "decision", "utility": "utility"}
RECORDS = {"P", "Q"}


def _is_record(name: str, diagram: InfluenceDiagram) -> bool:
    """Return whether a node is one of the learning world's records."""
    return diagram.nodes[name]["letter"] in RECORDS and _list_words(diagram) <= LETTER_PLACES.keys()


def _list_keys(shown: DiagramPicture, roles: set[str]) -> Iterator[Key]:
    """Yield what the signs mean that are there."""
    if "decision" in roles:
        yield Key("decision", "square", "decision")
    if "utility" in roles:
        yield Key("utility", "diamond", "utility")
    if "record" in roles:
        yield Key("record: P of X, Q of I", "circle", "record")
    if shown.incentives:
        yield Key("control incentive", "ring", "danger")
    if shown.rerouted:
        yield Key("rerouted from ITF", "arrow", "changed")
