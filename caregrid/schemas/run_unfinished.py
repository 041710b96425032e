"""`caregrid run`, `sweep`, `battery` or `bench` that was stopped, or where units failed; exit code 1 or 130."""

from typing import Annotated, NotRequired

from caregrid.json_schema import OutputSchema
from caregrid.schemas._experiments import SessionFields
from caregrid.schemas._values import Row


class RunUnfinishedOutput(SessionFields):
    """What is stored, and what failed."""

    experiment: NotRequired[Annotated[str, "its name, of caregrid run"]]
    rows: NotRequired[Annotated[list[Row], "the rows that are finished, of the other commands"]]


SCHEMA = OutputSchema(version=1, shape=RunUnfinishedOutput)
