"""What the battery of extended environments and the theory print with --json."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema

__all__ = ["battery", "measure", "theory"]


class BatteryRun(TypedDict):
    """An agent in an environment."""

    agent: Annotated[str, "its name"]
    environment: Annotated[str, "its name"]
    seed: Annotated[int, "of this run"]
    turns: Annotated[int, "how many"]
    total_reward: Annotated[float, "of all turns together"]


class BatteryOutput(TypedDict):
    """A row per run."""

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


class MeasureScore(TypedDict):
    """An agent in an example and in its opposite."""

    agent: Annotated[str, "its name"]
    example: Annotated[str, "its name"]
    turns: Annotated[int, "how many actions"]
    scale: Annotated[str, "what rewards are divided by, a fraction"]
    score: Annotated[float, "from -1 to 1"]


class MeasureOfAgent(TypedDict):
    """An agent's mean score."""

    agent: Annotated[str, "its name"]
    measure: Annotated[float, "from -1 to 1"]
    low: Annotated[float | None, "the lower end of the interval over examples; null with a single one"]
    high: Annotated[float | None, "the upper end"]
    interval: Annotated[str, "what the ends are"]


class MeasureOutput(TypedDict):
    """Scores and measures."""

    rows: Annotated[list[MeasureScore], "by agent and example"]
    measures: Annotated[list[MeasureOfAgent], "by agent"]


measure = OutputSchema(version=1, shape=MeasureOutput)
"""`caregrid measure`: how self-reflective agents are in examples of the formal theory."""
