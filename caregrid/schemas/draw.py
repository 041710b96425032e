"""`caregrid draw`: an experiment's figure and table."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._values import Row


class DrawOutput(TypedDict):
    """What was drawn."""

    experiment: Annotated[str, "its name"]
    figure: Annotated[str, "the file that was written"]
    table: Annotated[list[Row], "the experiment's own table; empty where it has none"]


SCHEMA = OutputSchema(version=1, shape=DrawOutput)
