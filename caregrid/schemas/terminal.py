"""`caregrid terminal`: what an agent that plans with an input terminal does."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class TerminalOutput(TypedDict):
    """Score, return and all optimal traces; "#" follows the step in which people update the terminal."""

    score: Annotated[float, "the value of the agent's first plan"]
    traces: Annotated[list[str], "what may happen in the real world, a letter an action; --limit says how many"]
    planned: Annotated[list[str], "what may happen in the first plan"]
    return_: Annotated[float, "what is earned in the real world, expected"]


SCHEMA = OutputSchema(version=1, shape=TerminalOutput)
