"""`caregrid multislot locality`: whether equal histories on one slot have equal laws."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._values import ExactNumber


class MultislotLocalityOutput(TypedDict):
    """Whether an environment is history-based."""

    history_based: Annotated[bool, "whether no violation was found"]
    steps: Annotated[int, "in how many first steps"]
    witness: NotRequired[Annotated[str, "the violation, in words"]]
    laws: NotRequired[Annotated[list[dict[str, ExactNumber]], "of both situations: slot,observation -> probability"]]


SCHEMA = OutputSchema(version=1, shape=MultislotLocalityOutput)
