"""`caregrid terminal` of a diagram: an agent's influence diagram."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._values import Arrow


class DiagramNode(TypedDict):
    """A node."""

    name: Annotated[str, "such as X_0"]
    kind: Annotated[str, "chance, decision or utility"]
    letter: Annotated[str, "such as X"]
    step: Annotated[int, "0, 1, ..."]


class ReroutedArrow(TypedDict):
    """An arrow that starts at another node of the same letter."""

    before: Annotated[Arrow, "from and to in ITF's diagram"]
    after: Annotated[Arrow, "from and to here"]


class TerminalDiagramOutput(TypedDict):
    """Nodes, arrows and incentives."""

    agent: Annotated[str, "its name"]
    horizon: Annotated[int, "the number of decisions"]
    nodes: Annotated[list[DiagramNode], "in topological order of time"]
    edges: Annotated[list[Arrow], "from and to"]
    incentives: Annotated[list[str], "nodes with a control incentive"]
    single_decision: Annotated[dict[str, list[str]], "criterion -> nodes, where there is one decision"]
    rerouted: Annotated[list[ReroutedArrow], "against ITF's diagram"]
    deleted: Annotated[list[Arrow], "arrows of ITF's diagram that are not there"]
    added: Annotated[list[Arrow], "arrows that ITF's diagram has not"]
    note: Annotated[str, "what the diagram does not say"]


SCHEMA = OutputSchema(version=1, shape=TerminalDiagramOutput)
