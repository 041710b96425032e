"""Lessons of 45 minutes: `LESSONS` finds those of `caregrid.lessons.catalogue`; others are files of a user's own."""

import functools
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from caregrid.lessons.lesson import LESSON, Lesson
from caregrid.lessons.lesson_file import ENDING, read_lesson
from engine.errors import BadValue, argument
from engine.registry import Registry
from engine.user_code import names_user_code

LESSONS: Registry[Lesson] = Registry(
    "caregrid.lessons.catalogue",
    "lesson",
    accept=LESSON.accept,
    group="caregrid.lessons",
    renamed={"reading": "self_reflection", "pen": "input_terminal"},
)


def list_lessons() -> list[Lesson]:
    """Return all lessons by their numbers."""
    return sorted(LESSONS.loadable().values(), key=lambda lesson: lesson.number)


NUMBER = re.compile(r"^    number=(\d+),$", re.MULTILINE)


@functools.cache
def read_numbers() -> dict[str, str]:
    """Read the number of each lesson's file -> its name, without importing any."""
    own = [name for name in LESSONS.names() if name not in LESSONS.find_installed()]
    found = {name: NUMBER.findall(LESSONS.file(name).read_text("utf-8")) for name in own}
    return {numbers[0]: name for name, numbers in found.items() if len(numbers) == 1}


def find_by_number(number: str) -> Lesson | None:
    """Find the lesson of a number; only the file that says it is imported, or all of them if none does."""
    if number in read_numbers():
        return LESSONS[read_numbers()[number]]
    return next((lesson for lesson in list_lessons() if str(lesson.number) == number), None)


def find_lesson(name: str, trust: bool = False) -> Lesson:
    """Return a lesson by its number, its name, a file.toml or `module:attribute`; UnknownName for anything else.

    trust: whether code that a file names may be imported.
    """
    if name.lower().endswith(ENDING):
        return replace(read_lesson(Path(name), trust), called=name, trusted=trust)
    if names_user_code(name):
        return replace(LESSONS[name], called=name)
    return (find_by_number(name) if name.isdecimal() else None) or LESSONS[name]


def find_lessons(names: Sequence[str], trust: bool = False) -> list[Lesson]:
    """Several, in this order; BadValue where two have one name, for files and parts of the page are called by it."""
    found = [find_lesson(name, trust) for name in names]
    called = [lesson.name for lesson in found]
    for name in called:
        if called.count(name) > 1:
            remedy = "give each once; a file of yours may say name = ..."
            raise BadValue(f"two lessons are called '{name}'", place=argument("lessons"), remedy=remedy)
    return found
