"""`caregrid record`: a film of a scenario's exact solution."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class RecordOutput(TypedDict):
    """What was recorded."""

    scenario: Annotated[str, "its name"]
    care: Annotated[list[float], "the caring coefficients"]
    scenes: Annotated[int, "how many"]
    out: Annotated[str, "the file that was written"]


SCHEMA = OutputSchema(version=1, shape=RecordOutput)
