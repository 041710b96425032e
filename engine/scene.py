"""All that a renderer may know of a world: scenes of floor, marks, overlays, charts, panels, words; a film is scenes.

Worlds make scenes, renderers draw them, and neither knows the other. Colours are roles that a renderer maps to its own
palette; a glyph always says the same without colour. A scene shows, from top to bottom: its caption, its grid (floor,
overlays, marks), its panels side by side, its charts one below the other. Every part may be left out.

| role                        | what it colours                                            |
| --------------------------- | ---------------------------------------------------------- |
| agent, other                | the acting agent; any other                                |
| object, goal, door, place   | things; where to go; ways in and out; where things may lie |
| feature                     | a fixture of the world                                     |
| danger, gain, loss          | what hurts; good and bad news (rewards, incentives)        |
| changed, faded, plain       | what is new or rerouted; what is over; no colour           |
| decision, utility, record   | nodes of influence diagrams, in pale colours               |
| `<word> <n>`, e.g. `path 2` | the n-th of several alike: histories, policies, agents     |
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, add_article
from engine.printable import show_value

LARGEST_FRAME = 4096
Signs: TypeAlias = Literal["sprites", "letters"]
"""How a picture shows things: as drawings, or as the letters of their maps."""


class Mark(NamedTuple):
    """Something standing on a cell: a glyph for text, a name for panels and films, a colour role; crossed when over."""

    row: int
    column: int
    glyph: str
    name: str
    role: str = "object"
    crossed: bool = False


@dataclass(frozen=True)
class Heat:
    """A number per cell: values, counts. cells: (row, column, number)."""

    name: str
    cells: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class Arrows:
    """A direction a cell: a policy. cells: (row, column, "up" | "down" | "left" | "right" | another action's name)."""

    name: str
    cells: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class Path:
    """Cells passed one after the other: (row, column), repeated where the mover stayed."""

    name: str
    cells: tuple[tuple[int, int], ...]
    role: str = "path 0"


class Bar(NamedTuple):
    """One bar: its label, its number, its colour role, and the number in words (a fraction) if wanted."""

    label: str
    number: float
    role: str = "agent"
    text: str = ""


@dataclass(frozen=True)
class Bars:
    """Numbers as bars from zero, such as the slot estimate P^i; where one is negative, zero lies inside.

    limit: the absolute number at full length, by default the largest one; longer bars are drawn broken.
    """

    name: str
    bars: tuple[Bar, ...]
    limit: float | None = None


class Tick(NamedTuple):
    """One step of a strip: a few letters (an action, a reward) and their colour role."""

    text: str
    role: str = "plain"


def choose_reward_role(reward: Fraction | float) -> str:
    """Return the colour role of a reward, by its sign."""
    return "gain" if reward > 0 else "loss" if reward < 0 else "plain"


@dataclass(frozen=True)
class Strip:
    """Something that happened step by step, such as rewards or a production line; now: the step to point at."""

    name: str
    ticks: tuple[Tick, ...]
    now: int | None = None


class Node(NamedTuple):
    """A node of a graph at (x, y), y downwards, any unit; shape: "circle", "square", "diamond"; crossed when over.

    subscript: written after the label, smaller and lower. ring: the colour role of a ring around it, "" for none.
    """

    name: str
    x: float
    y: float
    label: str = ""
    role: str = "plain"
    shape: str = "circle"
    crossed: bool = False
    subscript: str = ""
    ring: str = ""


class Edge(NamedTuple):
    """An arrow from one node to another, by their names."""

    source: str
    target: str
    role: str = "plain"
    label: str = ""


class Key(NamedTuple):
    """What a sign of a graph means; sign: "arrow", "ring", or the shape of a node."""

    words: str
    sign: str
    role: str = "plain"


@dataclass(frozen=True)
class Graph:
    """A drawn graph, such as slot histories or an influence diagram. legend: what its signs mean, below it."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    legend: tuple[Key, ...] = ()


class Stretch(NamedTuple):
    """A part of a number line: its words, and its colour role."""

    label: str = ""
    role: str = "plain"


@dataclass(frozen=True)
class NumberLine:
    """Numbers from `low` on, divided at points (ascending), such as caring coefficients at their break points.

    stretches: of each part, one more than points; () for plain ones. at: a number to point at.
    """

    name: str
    points: tuple[float, ...]
    stretches: tuple[Stretch, ...] = ()
    low: float = 0.0
    at: float | None = None


class Frame(NamedTuple):
    """A picture that a world has drawn itself: height and width in pixels, their colours row by row, compressed.

    pixels: red, green and blue, a byte each, by zlib; see `frame_of` and `frame_pixels`.
    """

    height: int
    width: int
    pixels: bytes


Overlay: TypeAlias = Heat | Arrows | Path
Chart: TypeAlias = Bars | Strip | Graph | NumberLine


@dataclass(frozen=True)
class Scene:
    """One moment of a world, or several side by side.

    floor: rows of equal length, "#" wall and " " floor. marks: what stands on it, later ones on top.
    overlays: layers a viewer may switch. caption: one line. readings: (label, text) pairs for a panel of words.
    charts: bars, strips, graphs and number lines below the grid. panels: scenes side by side, each with its own
    caption. columns: panels in a row, the next ones below; 0 puts all in one row. frame: drawn in place of floor and
    marks, which then say where overlays lie on it, and what stands there in text.
    """

    floor: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    caption: str = ""
    readings: tuple[tuple[str, str], ...] = ()
    charts: tuple[Chart, ...] = ()
    panels: tuple[Scene, ...] = ()
    columns: int = 0
    frame: Frame | None = None


Film: TypeAlias = tuple[Scene, ...]


def scene_fault(scene: Any) -> str:
    """Return what is wrong with what a user's code gave as a scene, in words; "" for a scene that can be drawn.

    Every part is of the type that is annotated above, rows are of equal length, and marks stand on the floor.
    """
    fault = _type_fault(scene, Scene, "it")
    if fault:
        return fault
    for part in all_scenes(scene):
        if len({len(row) for row in part.floor}) > 1:
            return f"floor is {show_value(part.floor)}, whose rows differ in length"
        for mark in part.marks:
            if not (0 <= mark.row < len(part.floor) and 0 <= mark.column < len(part.floor[0]) and mark.glyph):
                return f"{show_value(mark)} is not a glyph on the floor"
    return ""


def _type_fault(value: Any, kind: Any, name: str) -> str:
    """Return the first part of a value that is not as annotated: `caption is 3, not str`; "" for none."""
    alternatives = get_args(kind)
    if get_origin(kind) is UnionType:
        faults = [_type_fault(value, each, name) for each in alternatives]
        exact = [fault for fault, each in zip(faults, alternatives, strict=True) if type(value) is each]
        return "" if "" in faults else (exact or faults)[0]
    if get_origin(kind) is tuple:
        any_length = alternatives[-1] is ...
        if not isinstance(value, tuple) or not (any_length or len(value) == len(alternatives)):
            return f"{name} is {show_value(value)}, not a tuple{'' if any_length else f' of {len(alternatives)}'}"
        kinds = alternatives[:1] * len(value) if any_length else alternatives
        return next(filter(None, (_type_fault(each, of, name) for each, of in zip(value, kinds, strict=True))), "")
    plain = int | np.integer if kind is int else int | float | np.integer | np.floating if kind is float else kind
    if not isinstance(value, plain) or (isinstance(value, bool) and kind is not bool):
        return f"{name} is {show_value(value)}, not {'a number' if kind is float else add_article(kind.__name__)}"
    if kind.__module__ != __name__:
        return ""
    fields = _annotations(kind).items()
    return next(filter(None, (_type_fault(getattr(value, field), of, field) for field, of in fields)), "")


@cache
def _annotations(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def all_scenes(scene: Scene) -> list[Scene]:
    """Return a scene and its panels, at any depth."""
    return [scene, *(inner for panel in scene.panels for inner in all_scenes(panel))]


def text_rows(scene: Scene) -> tuple[str, ...]:
    """Return the floor with the glyph of the topmost mark in each cell, row by row; () for a scene without a floor."""
    cells = [list(row) for row in scene.floor]
    for mark in scene.marks:
        cells[mark.row][mark.column] = mark.glyph[:1]
    return tuple("".join(row) for row in cells)


def frame_of(pixels: NDArray[np.uint8]) -> Frame:
    """Return a picture uint8[H, W, 3] as a frame; BadValue for an array of another kind or size."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise BadValue(
            f"a picture of {pixels.dtype} of shape {pixels.shape}", place="frame", remedy="give uint8[H, W, 3]"
        )
    height, width = pixels.shape[:2]
    if max(height, width) > LARGEST_FRAME:
        raise BadValue(f"a picture of {height} x {width}", place="frame", remedy=f"give at most {LARGEST_FRAME}")
    return Frame(int(height), int(width), zlib.compress(np.ascontiguousarray(pixels).tobytes(), 6))


def frame_pixels(frame: Frame) -> NDArray[np.uint8]:
    """uint8[H, W, 3], read-only; BadValue where the bytes are not those of a picture of this size."""
    size = frame.height * frame.width * 3
    fits = 0 < frame.height <= LARGEST_FRAME and 0 < frame.width <= LARGEST_FRAME
    try:
        raw = zlib.decompressobj().decompress(frame.pixels, size + 1) if fits else b""
    except zlib.error:
        raw = b""
    if len(raw) != size or not size:
        raise BadValue("a frame whose bytes are not a picture of its size", place="frame", remedy="record it again")
    return np.frombuffer(raw, dtype=np.uint8).reshape(frame.height, frame.width, 3)
