"""What a lesson is: a question, one command, something to see, an answer, and films between which a knob switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from engine.scene import Film, Scene
from renderers.viewer.viewable import AS_RECORDED, FilmShow, Readings

PICTURE_TILE = 32


class Variant(NamedTuple):
    """One position of the knob: its label, its film, and what comes of it in one line."""

    label: str
    film: Film
    says: str


@dataclass(frozen=True)
class Lesson:
    """number, name, title: where it stands. question, look, answer: what is asked, what one should see, and why.

    command: makes the lesson's picture. knob: what the slider sets. variants: makes the knob's positions.
    picture: what the command draws. further: where it comes from.
    """

    number: int
    name: str
    title: str
    question: str
    command: str
    look: str
    answer: str
    knob: str
    variants: Callable[[], tuple[Variant, ...]]
    picture: Callable[[], Scene]
    further: str


class LessonShow:
    """A lesson in the viewer: up and down turn its knob."""

    def __init__(self, lesson: Lesson) -> None:
        self.title = f"{lesson.number}. {lesson.title}"
        self.keys: Mapping[str, tuple[str, str]] = {
            "up": ("next", f"next {lesson.knob}"),
            "down": ("previous", f"{lesson.knob} before"),
        }
        self._lesson, self._variants, self._turned = lesson, lesson.variants(), 0

    def __len__(self) -> int:
        return len(self._variants[self._turned].film)

    def overlays(self) -> Sequence[str]:
        """As the lesson's film was made."""
        return (AS_RECORDED,)

    def scene(self, number: int, overlay: str) -> Scene:
        """A scene of the film at the knob's position."""
        variant = self._variants[self._turned]
        scene = variant.film[number]
        added = ((self._lesson.knob, variant.label), ("so", variant.says), ("question", self._lesson.question))
        return replace(scene, readings=(*scene.readings, *added))

    def inspect(self, number: int, cell: tuple[int, int]) -> Readings:
        """What stands there."""
        return FilmShow(self._variants[self._turned].film).inspect(number, cell)

    def do(self, word: str, number: int) -> int:
        """Turn the knob as far as it goes; its film starts over."""
        turned = self._turned + (1 if word == "next" else -1)
        if not 0 <= turned < len(self._variants):
            return number
        self._turned = turned
        return 0
