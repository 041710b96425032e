"""`caregrid list`: the entries of every kind."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class ListOutput(TypedDict):
    """Names, by kind."""

    kinds: Annotated[dict[str, list[str]], "kind -> names, sorted"]


SCHEMA = OutputSchema(version=1, shape=ListOutput)
