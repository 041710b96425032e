"""A lesson in the viewer: up and down change its parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from caregrid.lessons.lesson import Lesson
from engine.scene import Scene
from renderers.viewer.viewable import AS_RECORDED, Readings, Viewable, cell_contents


class ViewableLesson(Viewable):
    """Plays the film of one of a lesson's variants; the keys "up" and "down" choose the next or previous variant."""

    def __init__(self, lesson: Lesson) -> None:
        self.title = f"{lesson.number}. {lesson.title}"
        self._lesson, self._variants, self._chosen = lesson, lesson.variants(), 0

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
        """The overlays with which the film was made."""
        return (AS_RECORDED,)

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene of the chosen variant's film; parameter, result and question among its readings."""
        variant = self._variants[self._chosen]
        scene = variant.film[index]
        added = (
            (self._lesson.parameter, variant.label),
            ("result", variant.summary),
            ("question", self._lesson.question),
        )
        return replace(scene, readings=(*scene.readings, *added))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """The marks and overlays of a cell."""
        return cell_contents(self._variants[self._chosen].film[index], cell)

    def execute(self, command: str, index: int) -> int:
        """Choose the next or previous variant, if there is one, and start its film at the beginning."""
        chosen = self._chosen + (1 if command == "next" else -1)
        if not 0 <= chosen < len(self._variants):
            return index
        self._chosen = chosen
        return 0
