"""`caregrid validate`: one thing against the contract of its kind."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class ValidateOutput(TypedDict):
    """A thing that keeps its contract."""

    kind: Annotated[str, "its kind"]
    name: Annotated[str, "its name"]
    checked: Annotated[bool, "whether its kind has more to check than its type"]


SCHEMA = OutputSchema(version=1, shape=ValidateOutput)
