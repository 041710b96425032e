"""`caregrid report`: all results on one page."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._experiments import ClaimVerdict


class ReportOutput(TypedDict):
    """What was reported."""

    files: Annotated[list[str], "that were written"]
    claims: Annotated[dict[str, list[ClaimVerdict]], "experiment -> the paper's statements"]


SCHEMA = OutputSchema(version=1, shape=ReportOutput)
