"""All that a renderer may know of a world: a scene is floor, marks, overlays, a caption and readings; a film is scenes.

Worlds make scenes, renderers draw them, and neither knows the other. Colours are roles ("agent", "other", "object",
"goal", "danger", "path 0" ...) that a renderer maps to its own palette; a glyph always says the same without colour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Mark(NamedTuple):
    """Something standing on a cell: a glyph for text, a name for panels and films, a colour role."""

    row: int
    column: int
    glyph: str
    name: str
    role: str = "object"


@dataclass(frozen=True)
class Heat:
    """A number a cell: values, counts. cells: (row, column, number)."""

    name: str
    cells: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class Arrows:
    """A direction a cell: a policy. cells: (row, column, "up" | "down" | "left" | "right" | another action's name)."""

    name: str
    cells: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class Path:
    """Cells walked one after the other: (row, column), repeated where the walker stayed."""

    name: str
    cells: tuple[tuple[int, int], ...]
    role: str = "path 0"


Overlay: TypeAlias = Heat | Arrows | Path


@dataclass(frozen=True)
class Scene:
    """One moment of a world.

    floor: rows of equal length, "#" wall and " " floor. marks: what stands on it, later ones on top.
    overlays: layers a viewer may switch. caption: one line. readings: (label, text) pairs for a panel.
    """

    floor: tuple[str, ...]
    marks: tuple[Mark, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    caption: str = ""
    readings: tuple[tuple[str, str], ...] = field(default=())


Film: TypeAlias = tuple[Scene, ...]
