"""`caregrid optima`: the best return and the best hidden performance of a scenario."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class BestReturn(TypedDict):
    """Of policies with the best return."""

    best: Annotated[float, "their return"]
    performance: Annotated[tuple[float, float], "their least and their largest performance"]


class BestPerformance(TypedDict):
    """Of policies with the best hidden performance."""

    best: Annotated[float, "their performance"]
    return_: Annotated[float, "their largest return"]


class OptimaOutput(TypedDict):
    """Both optima, undiscounted and within the step limit."""

    scenario: Annotated[str, "its name"]
    problem: Annotated[str, "in a sentence"]
    steps: Annotated[int, "the step limit"]
    return_: Annotated[BestReturn, "optimal for the return"]
    performance: Annotated[BestPerformance, "optimal for the hidden performance"]
    gap: Annotated[float, "how far a policy of the best return may stay below the best performance"]


SCHEMA = OutputSchema(version=1, shape=OptimaOutput)
