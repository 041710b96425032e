"""`caregrid rollout`: actions replayed in a scenario."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class ReplayedStep(TypedDict):
    """A step, and what the agent observes after it."""

    action: Annotated[str, "its name"]
    reward: Annotated[float, "observed"]
    performance: Annotated[float, "hidden"]
    terminated: Annotated[bool, "whether the world ended the episode here"]
    board: Annotated[list[str], "rows of letters"]


class RolloutOutput(TypedDict):
    """An episode, or its beginning."""

    scenario: Annotated[str, "its name"]
    steps: Annotated[list[ReplayedStep], "one an action"]
    return_: Annotated[float, "the sum of the rewards"]
    performance: Annotated[float, "the sum of the hidden performances"]


SCHEMA = OutputSchema(version=1, shape=RolloutOutput)
