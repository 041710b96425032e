"""`caregrid demo`: the lessons."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class LessonTitle(TypedDict):
    """A lesson."""

    number: Annotated[int, "1, 2, ..."]
    name: Annotated[str, "its name"]
    title: Annotated[str, "a question"]


class DemoOutput(TypedDict):
    """All lessons."""

    lessons: Annotated[list[LessonTitle], "by number"]


SCHEMA = OutputSchema(version=1, shape=DemoOutput)
