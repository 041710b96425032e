"""`caregrid sweep`: the caring coefficient, swept."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._outcomes import SegmentFields
from caregrid.schemas._values import Row


class SweepOutput(TypedDict):
    """The table, the break points and a warning."""

    rows: Annotated[list[Row], "as in sweep.csv: a coefficient, method and seed, a column a newcomer"]
    breakpoints: Annotated[SegmentFields, "from the least coefficient, or 0, on"]
    warning: Annotated[str | None, "where learned policies are not optimal; null: none"]


SCHEMA = OutputSchema(version=2, shape=SweepOutput)
