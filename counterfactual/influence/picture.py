"""Pictures of influence diagrams: nodes placed by time step and letter, as data and as a scene for any renderer.

Circles are chance, squares decisions, diamonds utilities; rerouted arrows and nodes with a control incentive stand out.
The same diagram always looks the same.
"""

from __future__ import annotations

from typing import NamedTuple

from counterfactual.influence.graph import InfluenceDiagram, nodes_of_kind
from counterfactual.influence.incentives import INCENTIVES
from counterfactual.influence.named_diagram import named_diagram
from counterfactual.influence.rewiring import Rewiring, rewiring
from engine.scene import Edge, Graph, Node, Scene

WIDTH, TOP, LEFT = 150, 95, 40
PLACES = {"I": (0, 0), "X": (0, 90), "A": (45, 170), "R": (95, 240), "P": (0, 310), "Q": (0, 380)}
SHAPES = {"chance": "circle", "decision": "square", "utility": "diamond"}
RULED_OUT = "The graph rules out a direct incentive on the signal only; indirect ones can remain."
ALLOWED = "The graph allows an incentive on the signal itself."


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
    def rerouted(self) -> set[tuple[str, str]]:
        """The rerouted arrows where they lie now."""
        return {reroute.after for reroute in self.made.rerouted}

    @property
    def note(self) -> str:
        """What the diagram says about the signal, and what it leaves open."""
        return ALLOWED if any(node.startswith("I_") for node in self.incentives) else RULED_OUT


def diagram_picture(name: str, horizon: int) -> DiagramPicture:
    """The named diagram, its control incentives and, for planning worlds, how it was made from ITF's.

    name: a planning agent, a registered diagram, or `module:attribute`. horizon: the number of decisions.
    """
    diagram = named_diagram(name)(horizon)
    if not nodes_of_kind(diagram, "utility"):
        return DiagramPicture(f"{name} world", diagram, [], Rewiring((), (), ()), {})
    made = rewiring(named_diagram("itf")(horizon), diagram)
    criteria = INCENTIVES.loadable() if horizon == 1 else {}
    single = {name: criterion(diagram) for name, criterion in criteria.items() if name != "control_incentive"}
    incentives = INCENTIVES["control_incentive"](diagram)
    return DiagramPicture(f"planning world of {name.upper()}", diagram, incentives, made, single)


def place(node: str) -> tuple[int, int]:
    """Where a node is drawn: its x and y in pixels."""
    letter, _, step = node.partition("_")
    right, down = PLACES[letter]
    return LEFT + WIDTH * int(step) + right, TOP + down


def size(diagram: InfluenceDiagram) -> tuple[int, int]:
    """Width and height of a picture in pixels."""
    places = [place(node) for node in diagram]
    return max(x for x, _ in places) + 60, max(y for _, y in places) + 100


def diagram_scene(shown: DiagramPicture) -> Scene:
    """The picture as a scene: roles "changed" for rerouted arrows and "danger" for nodes with a control incentive."""
    width, height = size(shown.diagram)
    nodes = []
    for name in shown.diagram:
        x, y = place(name)
        shape = SHAPES[shown.diagram.nodes[name]["kind"]]
        role = "danger" if name in shown.incentives else "plain"
        nodes.append(Node(name, x / width, y / height, name.replace("_", ""), role, shape))
    edges = [
        Edge(source, target, "changed" if (source, target) in shown.rerouted else "plain")
        for source, target in shown.diagram.edges
    ]
    caption = f"{shown.title}. {shown.note}" if shown.incentives else shown.title
    return Scene(caption=caption, charts=(Graph("", tuple(nodes), tuple(edges)),))
