"""What the battery of extended environments and the theory print with --json."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema

__all__ = ["battery", "theory"]


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


battery = OutputSchema(version=1, shape=BatteryOutput)
"""`caregrid battery`: agents in extended environments."""


class TheoryOutput(TypedDict):
    """The turns and their total."""

    example: Annotated[str, "its name"]
    agent: Annotated[str, "its name"]
    turns: Annotated[list[tuple[str, int, int]], "reward (p/q), observation and action of each turn"]
    total: Annotated[str, "p/q: of all rewards, that after the last action too, discounted"]


theory = OutputSchema(version=1, shape=TheoryOutput)
"""`caregrid theory`: an agent in an example of the formal theory; rewards are fractions as text."""
