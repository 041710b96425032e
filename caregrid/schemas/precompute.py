"""`caregrid precompute`: what the others can expect, saved."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class PrecomputeOutput(TypedDict):
    """What was saved."""

    scenario: Annotated[str, "its name"]
    file: Annotated[str, "that was written"]
    fingerprint: Annotated[str, "of the world that the values belong to"]
    states: Annotated[int, "of the acting agent"]
    names: Annotated[list[str], "who comes afterwards"]
    baseline_value: Annotated[list[float | None], "of each, without the acting agent; null: not finite"]
    warning: Annotated[str | None, "where learned values are not the exact ones; null: none"]


SCHEMA = OutputSchema(version=1, shape=PrecomputeOutput)
