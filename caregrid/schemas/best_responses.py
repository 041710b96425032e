"""`caregrid best-responses`: every agent of a shared world plans against the others, in rounds."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._values import Row


class BestResponsesOutput(TypedDict):
    """Rounds, and what they lead to."""

    scenario: Annotated[str, "its name"]
    agents: Annotated[list[str], "in the order in which they act"]
    coefficients: Annotated[dict[str, dict[str, float]], "agent -> agent -> what the first weighs the second with"]
    begin: Annotated[str, "declared or joint: the policies at first"]
    order: Annotated[str, "in turn or at once"]
    damping: Annotated[float, "how much of the old policy stays in a round"]
    rounds: Annotated[list[Row], "round, then of each agent its return and its regret, and who then changed"]
    nash: Annotated[bool, "whether nobody gains alone from the start"]
    markov_perfect: Annotated[bool, "whether nobody gains alone from any state"]
    cycle: Annotated[int | None, "after how many rounds policies come back; null: they do not"]
    returns: Annotated[dict[str, float | None], "agent -> its expected return at the end"]
    together: Annotated[dict[str, float | None], "agent -> its expected return under one planner for all"]
    actions: Annotated[list[list[str]] | None, "a step's actions, one an agent; null: chance decides"]


SCHEMA = OutputSchema(version=1, shape=BestResponsesOutput)
