"""`caregrid compare`: the behaviours of several coefficients and formulations."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._outcomes import Outcome


class ComparedPath(Outcome):
    """A behaviour."""

    formulation: Annotated[str, "how others count"]
    policy: Annotated[str, "optimal, or the name of a learned policy"]
    care: Annotated[float, "the caring coefficient"]
    ends: Annotated[
        float | None, "the probability that it ever ends; below 1 a learned policy is cut at the time limit"
    ]


class CompareOutput(TypedDict):
    """A row a behaviour."""

    scenario: Annotated[str, "its name"]
    out: Annotated[str | None, "the picture that was written; null: none"]
    rows: Annotated[list[ComparedPath], "by formulation, then by coefficient"]


SCHEMA = OutputSchema(version=2, shape=CompareOutput)
