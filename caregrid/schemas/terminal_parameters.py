"""`caregrid terminal` with --parameters: what --set understands."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class TerminalParametersOutput(TypedDict):
    """The parameters of a world."""

    parameters: Annotated[dict[str, str], "name -> what it is, and its default"]


SCHEMA = OutputSchema(version=1, shape=TerminalParametersOutput)
