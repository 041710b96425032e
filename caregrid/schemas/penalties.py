"""`caregrid penalties`: side-effect penalties of every step of an episode."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._values import Row


class PenaltiesOutput(TypedDict):
    """A row a step and baseline."""

    scenario: Annotated[str, "its name"]
    discount: Annotated[float, "of reachability and utilities"]
    penalties: Annotated[list[Row], "step, action, baseline, then the deviation by UR, RR(t), RR(a), AU(t) and AU(a)"]


SCHEMA = OutputSchema(version=1, shape=PenaltiesOutput)
