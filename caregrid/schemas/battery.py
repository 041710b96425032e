"""`caregrid battery`: agents in extended environments."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class BatteryRun(TypedDict):
    """An agent in an environment."""

    agent: Annotated[str, "its name"]
    environment: Annotated[str, "its name"]
    seed: Annotated[int, "of this run"]
    turns: Annotated[int, "how many"]
    total_reward: Annotated[float, "of all turns together"]


class BatteryOutput(TypedDict):
    """A row a run."""

    rows: Annotated[list[BatteryRun], "by agent, environment and seed"]


SCHEMA = OutputSchema(version=1, shape=BatteryOutput)
