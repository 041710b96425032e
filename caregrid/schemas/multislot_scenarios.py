"""`caregrid multislot` without a world: the scenarios."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class MultislotScenariosOutput(TypedDict):
    """All scenarios."""

    scenarios: Annotated[dict[str, str], "name -> what it is"]


SCHEMA = OutputSchema(version=1, shape=MultislotScenariosOutput)
