"""`caregrid compact`: one file of all units of a run directory."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class CompactOutput(TypedDict):
    """What was put together."""

    directory: Annotated[str, "the run directory"]
    units: Annotated[int, "how many"]
    before: Annotated[int, "files before"]
    now: Annotated[int, "files now"]
    problems: Annotated[list[str], "what was left alone, and why"]


SCHEMA = OutputSchema(version=1, shape=CompactOutput)
