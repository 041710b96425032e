"""Six short lessons, one file each; `LESSONS` finds them, `in_order` lists them as they are taught."""

from caregrid.lessons.lesson import Lesson
from engine.registry import Registry

LESSONS: Registry[Lesson] = Registry("caregrid.lessons", "lesson", pick=lambda module: module.lesson)


def in_order() -> list[Lesson]:
    """All lessons by their numbers."""
    return sorted(LESSONS.values(), key=lambda lesson: lesson.number)


def find(word: str) -> Lesson:
    """A lesson by its number or name; UnknownName for anything else."""
    numbered = {str(lesson.number): lesson for lesson in LESSONS.values()}
    return numbered[word] if word in numbered else LESSONS[word]
