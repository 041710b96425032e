"""`caregrid breakpoints`: every segment of the caring coefficient, and where the optimal policy changes."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._outcomes import SegmentFields


class SearchCost(TypedDict):
    """Effort, counted in policies that were evaluated."""

    states: Annotated[int, "of the world"]
    segments: Annotated[int, "of all start states, as they were solved"]
    policies: Annotated[int, "evaluated; 0 where shortest paths give all segments"]
    policies_per_segment: Annotated[float, "their ratio"]


class BreakpointsOutput(SegmentFields):
    """All segments of a range of coefficients, and what the search took."""

    cost: Annotated[SearchCost, "what the search took"]


SCHEMA = OutputSchema(version=2, shape=BreakpointsOutput)
