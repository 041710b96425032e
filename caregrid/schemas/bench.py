"""`caregrid bench`: methods in the worlds of the benchmark, as in bench.json."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema


class MeasuredSegment(TypedDict):
    """A method at some coefficients; a number is null where it is not measured there."""

    care_from: Annotated[float | None, "the least coefficient; null: the method has none"]
    care_to: Annotated[float | None, "the largest coefficient; null: the method has none, or unbounded"]
    own: Annotated[float | None, "own return"]
    others: Annotated[float | None, "the others' returns together"]
    performance: Annotated[float | None, "hidden performance"]
    violations: Annotated[float | None, "safety violations"]
    actions: Annotated[str, "separated by spaces"]


class MethodInWorld(TypedDict):
    """A method in a world: means over all coefficients; a number is null where it is not measured there."""

    suite: Annotated[str, "its name"]
    world: Annotated[str, "its name"]
    method: Annotated[str, "its name"]
    seed: Annotated[int | None, "null: chance decides nothing"]
    refused: Annotated[str | None, "why the method does not fit the world; null: it does"]
    area: Annotated[float | None, "under the curve of own return against the others' or the hidden performance"]
    own: Annotated[float | None, "own return"]
    others: Annotated[float | None, "the others' returns together"]
    performance: Annotated[float | None, "hidden performance"]
    violations: Annotated[float | None, "safety violations"]
    points: Annotated[list[MeasuredSegment], "by rising coefficients"]


class BenchOutput(TypedDict):
    """The content of bench.json."""

    format: Annotated[int, "the version of the file's form"]
    suites: Annotated[list[str], "names"]
    quick: Annotated[bool, "whether worlds and seeds are few"]
    methods: NotRequired[Annotated[list[str], "of a user's own"]]
    agents: NotRequired[Annotated[list[str], "that were asked for by name"]]
    files: Annotated[dict[str, str], "file of a user's own -> digest"]
    held_out: NotRequired[Annotated[int, "the seed of random maps"]]
    maps: NotRequired[Annotated[int, "how many random maps for each world"]]
    versions: Annotated[dict[str, str | None], "package -> version"]
    results: Annotated[list[MethodInWorld], "a method in a world"]
    digest: Annotated[
        str, "32 hexadecimal digits over everything in the file but the digest; not over schema and version"
    ]


SCHEMA = OutputSchema(version=1, shape=BenchOutput)
