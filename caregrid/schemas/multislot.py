"""`caregrid multislot` with --value: the action values of an agent that may be copied."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._values import ExactNumber


class MultislotOutput(TypedDict):
    """Numbers are fractions as text ("3/4"), with --arithmetic float numbers."""

    Q: Annotated[dict[str, ExactNumber], "action -> its value"]
    V: Annotated[ExactNumber, "the value of the action that is taken"]
    action: Annotated[str | int, "that is taken: the first of the best"]
    ties: Annotated[list[str | int], "all best actions"]
    P: Annotated[dict[str, ExactNumber], "slot -> the probability that it is the agent's own"]
    slot_Q: Annotated[dict[str, dict[str, ExactNumber]], "slot -> action -> its value there"]


SCHEMA = OutputSchema(version=1, shape=MultislotOutput)
