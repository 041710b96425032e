"""`caregrid.lesson` and `caregrid.course`: the lessons, one by one and all together.

A lesson opens in the viewer, where up and down change its parameter. A course is written as one page, or as
documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.command_line.operation import check_arguments
from caregrid.lessons import find_lesson, find_lessons, list_lessons
from caregrid.lessons.lesson import PICTURE_TILE, Lesson
from caregrid.results import RecordedFilm, Result, Writer, scene_figure, scene_png
from engine.errors import UnknownName, argument
from engine.files import all_or_none, output_directory, write_atomically
from engine.scene import Scene
from engine.value_types import Frames, to_list
from renderers.viewer.viewable import AS_RECORDED, Readings, Viewable, describe_cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ViewableLesson(Viewable):
    """Plays the film of one of a lesson's variants; the keys "up" and "down" choose the next or previous variant."""

    def __init__(self, lesson: Lesson) -> None:
        self.title = f"{lesson.number}. {lesson.title}"
        self._lesson = lesson
        self._variants = lesson.variants()
        self._chosen = 0

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Up and down."""
        return {
            "up": ("next", f"next {self._lesson.parameter}"),
            "down": ("previous", f"previous {self._lesson.parameter}"),
        }

    def __len__(self) -> int:
        return len(self._variants[self._chosen].film)

    def overlays(self) -> Sequence[str]:
        """Return the overlays with which the film was made."""
        return (AS_RECORDED,)

    def scene(self, index: int, overlay: str) -> Scene:
        """Return a scene of the chosen variant's film; parameter, result and question among its readings."""
        variant = self._variants[self._chosen]
        scene = variant.film[index]
        added = (
            (self._lesson.parameter, variant.label),
            ("result", variant.summary),
            ("question", self._lesson.question),
        )
        return replace(scene, readings=(*scene.readings, *added))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Return the marks and overlays of a cell."""
        return describe_cell(self._variants[self._chosen].film[index], cell)

    def execute(self, command: str, index: int) -> int:
        """Choose the next or previous variant, if there is one, and start its film at the beginning."""
        number = self._chosen + (1 if command == "next" else -1)
        if not 0 <= number < len(self._variants):
            return index
        self._chosen = number
        return 0


@dataclass(frozen=True, repr=False, eq=False)
class LessonShown(Result):
    """A lesson. lesson: question, command, what one should see, answer, and a film for each value of a parameter."""

    lesson: Lesson

    @property
    def title(self) -> str:
        """Number and title."""
        return f"{self.lesson.number}. {self.lesson.title}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per value of the lesson's parameter: the value, what follows, the number of scenes."""
        return [
            {self.lesson.parameter: variant.label, "result": variant.summary, "scenes": len(variant.film)}
            for variant in self.lesson.variants()
        ]

    def film(self, value: str | None = None) -> RecordedFilm:
        """Return the film of one value of the parameter, the first by default; UnknownName for another one."""
        variants = {variant.label: variant for variant in self.lesson.variants()}
        label = next(iter(variants)) if value is None else value
        if label not in variants:
            raise UnknownName(self.lesson.parameter, label, variants, place=self.title)
        return RecordedFilm(f"{self.title}, {self.lesson.parameter} {label}", variants[label].film)

    def figure(self) -> Figure:
        """Return the picture that the lesson's command draws."""
        return scene_figure(self.lesson.picture(), PICTURE_TILE)

    def _repr_png_(self) -> bytes:
        """Return the picture, in notebooks."""
        return scene_png(self.lesson.picture(), PICTURE_TILE)

    def text(self) -> str:
        """Return title, question, command."""
        return f"{self.title}\n{self.lesson.question}\n{self.lesson.command}"

    def view(self, *, out: str | Path | None = None, frames: Frames | None = None, keys: str = "") -> None:
        """Open the lesson in a window, or, with `out`, write what it would show.

        frames: at most so many. keys: to press, one a frame, joined by commas.
        """
        from caregrid.programmes.screen import Screen, display

        screen = Screen(out, frames, keys).check()
        display(ViewableLesson(self.lesson), screen)

    def writers(self) -> dict[str, Writer]:
        """As every result; .png is the lesson's picture."""
        picture = RecordedFilm(self.title, (self.lesson.picture(),), PICTURE_TILE)
        return super().writers() | {"png": picture.writers()["png"]}


@dataclass(frozen=True, repr=False, eq=False)
class Course(Result):
    """All lessons, by their numbers."""

    lessons: Sequence[Lesson]

    @property
    def title(self) -> str:
        """How many there are."""
        return f"{len(self.lessons)} lessons"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per lesson: number, name, title."""
        return [{"number": one.number, "name": one.name, "title": one.title} for one in self.lessons]

    def text(self) -> str:
        """Return the lessons, one a line."""
        from experiments.rows import align_lines

        return "\n".join(align_lines((str(one.number), one.name, one.title) for one in self.lessons))

    def output(self) -> dict[str, Any]:
        """Return what `caregrid demo --json` prints."""
        return {"lessons": self.rows()}

    def write_page(self, folder: str | Path) -> list[str]:
        """Write all lessons as one page for a browser, index.html; returns the names of the files."""
        from caregrid.lessons.page.html_page import write_page

        with all_or_none():
            write_atomically(output_directory(folder) / "index.html", write_page(self.lessons))
        return ["index.html"]

    def write_documents(self, folder: str | Path) -> list[str]:
        """Write a document, a picture and a notebook of each lesson; returns the names of the files."""
        from caregrid.lessons.documents import write_documents

        return write_documents(Path(folder), self.lessons)


@check_arguments
def lesson(name: str | int, *, trust: bool = False) -> LessonShown:
    """Return a lesson.

    Parameters
    ----------
    name : str or int
        Its number or name, a file.toml, or `module:attribute`.
    trust : bool
        Import code that the file names, MODULE:NAME, and run it.

    Returns
    -------
    LessonShown
        The lesson: its picture, film and window.

    Raises
    ------
    UnknownName
        For an unknown lesson.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.lesson(1).title
    '1. What does a caring coefficient do?'
    """
    return LessonShown(find_lesson(str(name), trust))


@check_arguments
def course(lessons: Sequence[str | int] | None = None, *, trust: bool = False) -> Course:
    """Return all lessons, in order, or some of them.

    Parameters
    ----------
    lessons : sequence of str or int, optional
        Which ones, each as for `lesson`.
    trust : bool
        Import code that files among them name, MODULE:NAME, and run it.

    Returns
    -------
    Course
        The lessons, to be written as one page or as documents.

    Raises
    ------
    UnknownName
        For an unknown lesson.
    BadValue
        For two lessons of one name.

    Examples
    --------
    >>> import caregrid
    >>> print(caregrid.course([1, "whom"]))
    1  care  What does a caring coefficient do?
    2  whom  Whom to care for?
    """
    named = [] if lessons is None else to_list(lessons, "lessons", argument("lessons"), "give names or numbers")
    return Course(list_lessons() if lessons is None else find_lessons([str(name) for name in named], trust))
