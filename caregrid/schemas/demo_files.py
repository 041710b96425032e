"""`caregrid demo` of all lessons, or their documents: what was written."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class DemoFilesOutput(TypedDict):
    """The files of all lessons."""

    out: Annotated[str, "the folder"]
    files: Annotated[list[str], "names in it"]


SCHEMA = OutputSchema(version=1, shape=DemoFilesOutput)
