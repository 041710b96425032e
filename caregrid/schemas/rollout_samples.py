"""`caregrid rollout` with --episodes: returns of a policy, estimated from many episodes."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class SampledReturn(TypedDict):
    """A return over all episodes."""

    return_: Annotated[str, "own, others or performance"]
    mean: Annotated[float, "over episodes"]
    standard_error: Annotated[float | None, "of the mean; null: there is one episode"]
    least: Annotated[float, "of all episodes"]
    most: Annotated[float, "of all episodes"]


class RolloutSamplesOutput(TypedDict):
    """Means with their standard errors."""

    scenario: Annotated[str, "its name"]
    policy: Annotated[str, "random or optimal"]
    episodes: Annotated[int, "how many"]
    steps: Annotated[int, "of all episodes together"]
    terminated: Annotated[int, "how many episodes the world ended"]
    returns: Annotated[list[SampledReturn], "own, and others and performance where there are any"]


SCHEMA = OutputSchema(version=1, shape=RolloutSamplesOutput)
