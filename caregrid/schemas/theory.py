"""`caregrid theory`: an agent in an example of the formal theory; rewards are fractions as text."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class TheoryOutput(TypedDict):
    """The turns and their total."""

    example: Annotated[str, "its name"]
    agent: Annotated[str, "its name"]
    turns: Annotated[list[tuple[str, int, int]], "reward (p/q), observation and action of each turn"]
    total: Annotated[str, "p/q: of all rewards, that after the last action too, discounted"]


SCHEMA = OutputSchema(version=1, shape=TheoryOutput)
