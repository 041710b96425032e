"""`caregrid solve`: an exact solution at one caring coefficient."""

from typing import Annotated, NotRequired

from caregrid.json_schema import OutputSchema
from caregrid.schemas._outcomes import Certificate, Loss, Outcome


class SolveOutput(Outcome):
    """What the optimal policy leads to."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "how others count"]
    care: Annotated[float, "the caring coefficient"]
    own_coefficient: Annotated[float, "the weight of the own reward, --own"]
    alternatives: Annotated[list[list[Outcome]], "for each start state: what other optimal policies lead to"]
    return_: Annotated[float | None, "the same as own"]
    certificate: NotRequired[Annotated[Certificate, "with --certify"]]
    loss: NotRequired[Annotated[Loss, "with --certify"]]
    frames: NotRequired[Annotated[list[str], "with --draw: every state, as text"]]


SCHEMA = OutputSchema(version=2, shape=SolveOutput)
