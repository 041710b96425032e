"""`caregrid collect`: all stored rows of a run in one file."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class CollectOutput(TypedDict):
    """What was collected."""

    experiment: Annotated[str, "its name"]
    file: Annotated[str, "that was written"]
    units: Annotated[int, "how many"]
    rows: Annotated[int, "how many"]
    problems: Annotated[list[str], "what was passed over, and why"]


SCHEMA = OutputSchema(version=1, shape=CollectOutput)
