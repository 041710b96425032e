"""`caregrid doctor`: what is installed, missing or broken."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class DoctorOutput(TypedDict):
    """The installation."""

    packages: Annotated[dict[str, dict[str, str | None]], "extra -> package -> version; null: missing"]
    problems: Annotated[list[str], "what is broken, and how to repair it"]
    install: Annotated[dict[str, str], "extra -> the shell line that installs what is missing of it"]


SCHEMA = OutputSchema(version=1, shape=DoctorOutput)
