"""`caregrid bench compare`: the leaderboard of several runs of the benchmark."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class ComparedRun(TypedDict):
    """A run of the benchmark."""

    run: Annotated[str, "its name"]
    suites: Annotated[str, "separated by commas"]
    extent: Annotated[str, "quick or whole"]
    caregrid: Annotated[str | None, "the version that made it"]
    digest: Annotated[str, "of its file"]


class MethodStanding(TypedDict):
    """A method of a suite; a number is null where it is not measured."""

    suite: Annotated[str, "its name"]
    rank: Annotated[int, "1 is best"]
    method: Annotated[str, "its name"]
    runs: Annotated[str, "the runs that agree on it, separated by commas"]
    area: Annotated[float | None, "mean over worlds"]
    area_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    area_high: Annotated[float | None, "upper end"]
    own: Annotated[float | None, "own return"]
    own_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    own_high: Annotated[float | None, "upper end"]
    others: Annotated[float | None, "the others' returns together"]
    others_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    others_high: Annotated[float | None, "upper end"]
    performance: Annotated[float | None, "hidden performance"]
    performance_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    performance_high: Annotated[float | None, "upper end"]
    violations: Annotated[float | None, "safety violations"]
    violations_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    violations_high: Annotated[float | None, "upper end"]
    worlds: Annotated[int, "how many it fits"]
    refused: Annotated[int, "how many it does not fit"]


class WorstWorld(TypedDict):
    """Where a method does worst."""

    suite: Annotated[str, "its name"]
    method: Annotated[str, "its name"]
    runs: Annotated[str, "separated by commas"]
    world: Annotated[str, "its name"]
    care_from: Annotated[float | None, "the least coefficient; null: none"]
    care_to: Annotated[float | None, "the largest coefficient; null: none, or unbounded"]
    measure: Annotated[str, "what is wrong"]
    reached: Annotated[float, "by the method"]
    best: Annotated[float, "by any method"]
    violations: Annotated[float | None, "safety violations"]
    actions: Annotated[str, "separated by spaces"]


class BenchCompareOutput(TypedDict):
    """Runs, their methods in order, and what each gets most wrong."""

    runs: Annotated[list[ComparedRun], "the runs"]
    standings: Annotated[list[MethodStanding], "a suite and method"]
    failures: Annotated[list[WorstWorld], "the worst world of a suite and method"]


SCHEMA = OutputSchema(version=1, shape=BenchCompareOutput)
