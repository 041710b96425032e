"""`caregrid demo` of one lesson: the lesson, and the film or picture of it."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class DemoLessonOutput(TypedDict):
    """A lesson."""

    number: Annotated[int, "1, 2, ..."]
    name: Annotated[str, "its name"]
    title: Annotated[str, "a question"]
    question: Annotated[str, "what is asked first"]
    command: Annotated[str, "the command that it explains"]
    out: Annotated[str | None, "the file that was written; null: it was shown in a window"]


SCHEMA = OutputSchema(version=1, shape=DemoLessonOutput)
