"""What a viewer can show: scenes by number, overlays to choose from, commands of its own; a recorded film is one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.scene import Arrows, Heat, Mark, NumberLine, Overlay, Scene
from renderers.drawing.tiles import trim_number

Readings = tuple[tuple[str, str], ...]
AS_RECORDED = "as recorded"
NOTHING = "none"


class Button(NamedTuple):
    """A button on the screen: the key that it stands for, its words, and whether it does anything now."""

    key: str
    text: str
    available: bool = True


class Viewable(ABC):
    """A sequence of scenes, numbered from 0 and made when asked for; a command may change how many there are.

    title: what is shown. message: what the last command or click did, where the picture alone does not say it.
    """

    title: str
    message: str = ""

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Keys beside the viewer's own: key -> (command, what it does)."""
        return {}

    @property
    def buttons(self) -> Sequence[Button]:
        """Keys that are shown as buttons all the time, for those who use the mouse or do not know the keys."""
        return ()

    @property
    def slider(self) -> NumberLine | None:
        """A number that the pointer may drag, as the line on which it lies; None where there is none."""
        return None

    def slide(self, number: float, index: int) -> int:
        """Take the number to which the slider is dragged while a scene is shown; return the scene to show next."""
        return index

    @property
    def painting(self) -> bool:
        """Whether the pointer, held down, goes on clicking the cells that it passes."""
        return False

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of scenes."""

    @abstractmethod
    def overlays(self) -> Sequence[str]:
        """Return the names of the overlays that `scene` can draw; the first one is shown first."""

    @abstractmethod
    def scene(self, index: int, overlay: str) -> Scene:
        """Return a scene with one overlay."""

    @abstractmethod
    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Return (label, text) pairs about a cell (row, column) of a scene."""

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """Take a click on a cell of a panel; return the scene to show next, None where the click inspects the cell.

        panel: where the panel is among those of the scene, () for the scene's own grid.
        """
        return None

    def paint(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """Take another cell that the pointer passes, held down since a click (see `painting`); a click, by default."""
        return self.click(panel, cell, index)

    def execute(self, command: str, index: int) -> int:
        """Carry out one of the commands of `keys` while a scene is shown; return the scene to show next."""
        return index


class ViewableFilm(Viewable):
    """A recorded film, which no command changes."""

    def __init__(self, film: Sequence[Scene], title: str = "film") -> None:
        self.title = title
        self._film = film

    def __len__(self) -> int:
        return len(self._film)

    def overlays(self) -> Sequence[str]:
        """As recorded, every overlay of the first and last scene by name, none; without overlays as recorded alone."""
        ends = (*self._film[0].overlays, *self._film[-1].overlays)
        return tuple(dict.fromkeys([AS_RECORDED, *(overlay.name for overlay in ends), *([NOTHING] if ends else [])]))

    def scene(self, index: int, overlay: str) -> Scene:
        """Return the scene with the overlay of that name alone."""
        scene = self._film[index]
        if overlay == AS_RECORDED:
            return scene
        return replace(scene, overlays=tuple(one for one in scene.overlays if one.name == overlay))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Return the marks and overlays of a cell."""
        return describe_cell(self._film[index], cell)


def describe_cell(scene: Scene, cell: tuple[int, int]) -> Readings:
    """Return the marks on a cell (row, column), and the numbers and directions that overlays show there."""
    return tuple(entry for thing in (*scene.marks, *scene.overlays) if (entry := _entry(thing, cell)) is not None)


def _entry(thing: Mark | Overlay, cell: tuple[int, int]) -> tuple[str, str] | None:
    if isinstance(thing, Mark):
        return ("there", thing.name) if (thing.row, thing.column) == cell else None
    if isinstance(thing, Heat):
        return next(((thing.name, trim_number(number)) for *place, number in thing.cells if tuple(place) == cell), None)
    if isinstance(thing, Arrows):
        return next(((thing.name, action) for *place, action in thing.cells if tuple(place) == cell), None)
    return ("path", thing.name) if cell in thing.cells else None
