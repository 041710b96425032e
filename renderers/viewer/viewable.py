"""What a viewer can show: scenes by number, overlays to choose from, words it obeys; a recorded film is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from engine.scene import Arrows, Heat, Mark, Overlay, Scene
from renderers.drawing.cell_appearance import brief

Readings = tuple[tuple[str, str], ...]
AS_RECORDED, NOTHING = "as recorded", "none"


class Show(Protocol):
    """Contract: scenes are numbered from 0 and may be made when asked for; `do` may change how many there are.

    title: what is shown. keys: key -> (word, what it does), beside the viewer's own keys.
    """

    title: str

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]: ...

    def __len__(self) -> int: ...

    def overlays(self) -> Sequence[str]:
        """The names of the overlays that `scene` can draw; the first one is shown first."""

    def scene(self, number: int, overlay: str) -> Scene:
        """A scene with one overlay."""

    def inspect(self, number: int, cell: tuple[int, int]) -> Readings:
        """What there is to know about a cell (row, column) in a scene."""

    def do(self, word: str, number: int) -> int:
        """Obey one of the words of `keys` while a scene is shown; answers the number of the scene to show next."""


class FilmShow:
    """A recorded film: it can be looked at, and nothing changes it."""

    keys: Mapping[str, tuple[str, str]]

    def __init__(self, film: Sequence[Scene], title: str = "film") -> None:
        self.title, self._film, self.keys = title, film, {}

    def __len__(self) -> int:
        return len(self._film)

    def overlays(self) -> Sequence[str]:
        """As recorded, none, and every overlay of the first and last scene by name."""
        ends = (*self._film[0].overlays, *self._film[-1].overlays)
        return tuple(dict.fromkeys([AS_RECORDED, *(overlay.name for overlay in ends), NOTHING]))

    def scene(self, number: int, overlay: str) -> Scene:
        """The scene with the overlay of that name alone."""
        scene = self._film[number]
        if overlay == AS_RECORDED:
            return scene
        return replace(scene, overlays=tuple(one for one in scene.overlays if one.name == overlay))

    def inspect(self, number: int, cell: tuple[int, int]) -> Readings:
        """What stands there and what the overlays say of it."""
        return whats_there(self._film[number], cell)

    def do(self, word: str, number: int) -> int:
        """A film obeys no words."""
        return number


def whats_there(scene: Scene, cell: tuple[int, int]) -> Readings:
    """The marks on a cell and the overlays' numbers and directions there."""
    return tuple(entry for thing in (*scene.marks, *scene.overlays) if (entry := _entry(thing, cell)) is not None)


def _entry(thing: Mark | Overlay, cell: tuple[int, int]) -> tuple[str, str] | None:
    if isinstance(thing, Mark):
        return ("there", thing.name) if (thing.row, thing.column) == cell else None
    if isinstance(thing, Heat):
        return next(((thing.name, brief(number)) for *place, number in thing.cells if tuple(place) == cell), None)
    if isinstance(thing, Arrows):
        return next(((thing.name, action) for *place, action in thing.cells if tuple(place) == cell), None)
    return ("path", thing.name) if cell in thing.cells else None
