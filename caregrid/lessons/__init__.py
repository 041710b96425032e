"""Lessons of 45 minutes: `LESSONS` finds the files of `caregrid.lessons.catalogue`, one lesson each."""

from caregrid.lessons.lesson import Lesson, accept_lesson
from engine.registry import Registry

LESSONS: Registry[Lesson] = Registry(
    "caregrid.lessons.catalogue",
    "lesson",
    accept=accept_lesson,
    group="caregrid.lessons",
    renamed={"reading": "self_reflection", "pen": "input_terminal"},
)


def lessons_in_order() -> list[Lesson]:
    """All lessons by their numbers."""
    return sorted(LESSONS.loadable().values(), key=lambda lesson: lesson.number)


def find_lesson(name: str) -> Lesson:
    """A lesson by its number, its name or `module:attribute`; UnknownName for anything else."""
    numbered = {str(lesson.number): lesson for lesson in LESSONS.loadable().values()} if name.isdecimal() else {}
    return numbered[name] if name in numbered else LESSONS[name]
