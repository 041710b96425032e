"""`caregrid train`: an agent trained on a scenario."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class Checkpoint(TypedDict):
    """The greedy policy after some steps."""

    steps: Annotated[int, "of the world"]
    greedy_return: Annotated[float | None, "its augmented return; null: not finite"]
    optimum: Annotated[float | None, "the best augmented return"]
    below: Annotated[float | None, "their difference"]


class TrainOutput(TypedDict):
    """What was trained, and how it went."""

    policy: Annotated[dict[str, object], "agent, scenario, coefficient, seed and the learner's own settings"]
    curve: Annotated[list[Checkpoint], "by steps"]
    out: Annotated[str | None, "where the policy is kept"]
    warning: Annotated[str | None, "where the policy is not optimal; null: none"]


SCHEMA = OutputSchema(version=1, shape=TrainOutput)
