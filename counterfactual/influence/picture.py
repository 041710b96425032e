"""Pictures of influence diagrams, as data and as a scene for any renderer.

Circles are chance, squares decisions, diamonds utilities; rerouted arrows and nodes with a control incentive stand out.
"""

from __future__ import annotations

from typing import NamedTuple

from counterfactual.influence.graph import InfluenceDiagram, nodes_of_kind
from counterfactual.influence.incentives import INCENTIVES
from counterfactual.influence.layout import places, size
from counterfactual.influence.named_diagram import named_diagram
from counterfactual.influence.rewiring import Rewiring, rewiring
from engine.scene import Edge, Graph, Node, Scene

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
        if "I" not in _words(self.diagram):
            return WITHOUT_SIGNAL
        return ALLOWED if any(node.startswith("I_") for node in self.incentives) else RULED_OUT


def diagram_picture(name: str, horizon: int) -> DiagramPicture:
    """The named diagram, its control incentives and, for planning worlds, how it was made from ITF's.

    name: a planning agent, a registered diagram, or `module:attribute`. horizon: the number of decisions.
    """
    diagram = named_diagram(name)(horizon)
    if not nodes_of_kind(diagram, "utility"):
        return DiagramPicture(f"{name} world", diagram, [], Rewiring((), (), ()), {})
    is_planning_world = _words(diagram) <= PLANNING_WORLD
    made = rewiring(named_diagram("itf")(horizon), diagram) if is_planning_world else Rewiring((), (), ())
    criteria = INCENTIVES.loadable() if horizon == 1 else {}
    single = {name: criterion(diagram) for name, criterion in criteria.items() if name != "control_incentive"}
    incentives = INCENTIVES["control_incentive"](diagram)
    title = f"planning world of {name.upper()}" if is_planning_world else name
    return DiagramPicture(title, diagram, incentives, made, single)


def _words(diagram: InfluenceDiagram) -> set[str]:
    """The words of the nodes' names."""
    return {diagram.nodes[node]["letter"] for node in diagram}


def diagram_scene(shown: DiagramPicture) -> Scene:
    """The picture as a scene: roles "changed" for rerouted arrows and "danger" for nodes with a control incentive."""
    width, height = size(shown.diagram)
    nodes = []
    for name, (x, y) in places(shown.diagram).items():
        shape = SHAPES[shown.diagram.nodes[name]["kind"]]
        role = "danger" if name in shown.incentives else "plain"
        nodes.append(Node(name, x / width, y / height, name.replace("_", ""), role, shape))
    edges = [
        Edge(source, target, "changed" if (source, target) in shown.rerouted else "plain")
        for source, target in shown.diagram.edges
    ]
    caption = f"{shown.title}. {shown.note}" if shown.incentives else shown.title
    return Scene(caption=caption, charts=(Graph("", tuple(nodes), tuple(edges)),))
