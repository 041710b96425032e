"""`caregrid worlds`: scenarios, their optima and break points."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class DescribedWorld(TypedDict):
    """A scenario; optima are null where nothing is hidden from the agent."""

    world: Annotated[str, "its name"]
    problem: Annotated[str, "in a sentence"]
    formulation: Annotated[str | None, "how others count; null: not solved"]
    break_points: Annotated[str | None, "coefficients, separated by spaces; null: not solved"]
    reward: Annotated[float | None, "the best return"]
    its_performance: Annotated[float | None, "the best performance of a policy of the best return"]
    worst_performance: Annotated[float | None, "the worst performance of such a policy"]
    best_performance: Annotated[float | None, "the best performance of any policy"]
    refused: Annotated[str | None, "why it is not solved; null: it is"]


class WorldsOutput(TypedDict):
    """A row a scenario."""

    rows: Annotated[list[DescribedWorld], "in the order asked for"]


SCHEMA = OutputSchema(version=1, shape=WorldsOutput)
