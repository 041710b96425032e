"""What `caregrid terminal` prints with --json: a simulation, a diagram, the parameters of a world."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import Arrow, OutputSchema

__all__ = ["terminal", "terminal_diagram", "terminal_parameters"]


class LearnedFrom(TypedDict):
    """What an agent learned the world from."""

    episodes: Annotated[int, "of random actions"]
    seed: Annotated[int, "of their random numbers"]


class TerminalOutput(TypedDict):
    """Score, return and all optimal traces; "#" follows the step in which people update the terminal."""

    score: Annotated[float, "the value of the agent's first plan"]
    traces: Annotated[list[str], "what may happen in the real world, a letter an action; --limit says how many"]
    planned: Annotated[list[str], "what may happen in the first plan"]
    return_: Annotated[float, "what is earned in the real world, expected"]
    learned: NotRequired[Annotated[LearnedFrom, "where the agent does not know the world"]]


terminal = OutputSchema(version=2, shape=TerminalOutput)
"""`caregrid terminal`: what an agent that plans with an input terminal does."""


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


terminal_diagram = OutputSchema(version=1, shape=TerminalDiagramOutput)
"""`caregrid terminal` of a diagram: an agent's influence diagram."""


class TerminalParametersOutput(TypedDict):
    """The parameters of a world."""

    parameters: Annotated[dict[str, str], "name -> what it is, and its default"]


terminal_parameters = OutputSchema(version=1, shape=TerminalParametersOutput)
"""`caregrid terminal` with --parameters: what --set understands."""
