"""Scenes as text: the reference renderer, for tests, documents, terminals and pipes.

A cell shows the glyph of its topmost mark; else the arrow of a policy ("^", "v", "<", ">", or the first letter of
another action); else floor or wall. Heats and paths are drawn beside it, each on a grid of its own: a heat as letters
from "a" (lowest) to "z" (highest), a path as the directions in which it leaves its cells, "*" where it ends.
Colour is used where asked for; `shows_colour` tests whether a stream shows it. With a width, captions, keys, readings
and number lines are wrapped, and grids and panels that do not fit beside one another go below; one grid is never cut,
nor another chart.
"""

from __future__ import annotations

import bisect
import os
import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import IO

from engine.plain_values import write_number
from engine.printable import make_printable
from engine.scene import Arrows, Bars, Chart, Graph, Heat, NumberLine, Overlay, Path, Scene, Strip, all_scenes
from renderers.charts import list_edges
from renderers.drawing.palette import colour
from renderers.drawing.tiles import (
    compute_relative_position,
    drop_repeats,
    find_neighbour_side,
    find_value_range,
    select_finite_cells,
    trim_number,
)

_COLOURS = re.compile(r"(\x1b\[(?:1;38;2;\d+;\d+;\d+|0)m)")
ARROWS = {"up": "^", "down": "v", "left": "<", "right": ">"}
BAR_LENGTH = 20
STRIP_LENGTH = 40
GAP = "   "
NARROWEST_PANEL = 36
NARROWEST_WORDS = 16


def draw(scene: Scene, *, legend: bool = True, coloured: bool = False, width: int | None = None) -> str:
    """Return the scene as lines without trailing spaces.

    legend: explain the glyphs. coloured: with terminal colour codes. width: letters a line (None: as many as it takes).
    A scene may come from anybody: what else a terminal would obey is written out.
    """
    lines = [*_write_caption(scene, width), *_write_body(scene, legend, coloured, width)]
    return "\n".join(_make_printable(line.rstrip()) for line in lines)


def _make_printable(line: str) -> str:
    """Return the line with all control characters as escapes, but for the colours that we paint."""
    parts = enumerate(_COLOURS.split(line))
    return "".join(part if number % 2 else make_printable(part) for number, part in parts)


def shows_colour(stream: IO[str]) -> bool:
    """Return whether a stream is a terminal that shows colours (and nobody objects through NO_COLOR)."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "") not in ("", "dumb")


def _write_caption(scene: Scene, width: int | None) -> list[str]:
    return _wrap(scene.caption, width) if scene.caption else []


def _write_body(scene: Scene, legend: bool, coloured: bool, width: int | None) -> list[str]:
    """Return all lines but the caption's."""
    lines = []
    if scene.floor:
        lines += _flow([_write_floor(scene, coloured), *_write_overlays(scene, width)], width)
    if legend and not scene.panels:
        lines += _write_key(scene, width)
    if scene.panels:
        lines += _write_panels(scene, coloured, width)
    lines += [line for chart in scene.charts for line in _write_chart(chart, width)]
    if legend and scene.panels:
        lines += _write_key(scene, width)
    return lines + [line for label, text in scene.readings for line in _wrap(f"{label}: {text}", width)]


def _write_key(scene: Scene, width: int | None) -> list[str]:
    """Return what the glyphs of a scene and of its panels stand for, each once."""
    named: dict[tuple[str, str, bool], None] = {}
    for inner in all_scenes(scene):
        named |= dict.fromkeys((mark.glyph, mark.name, mark.crossed) for mark in inner.marks if inner.floor)
    words = ", ".join(f"{glyph} {name}{' (over)' * gone}" for glyph, name, gone in named)
    return _wrap(f"key: {words}", width) if named else []


def _write_panels(scene: Scene, coloured: bool, width: int | None) -> list[str]:
    """The panels in rows, their grids at one height: as many in a row as the scene wants and as fit; without keys."""
    columns = scene.columns or len(scene.panels)
    share = None
    if width is not None:
        columns = max(1, min(columns, (width + len(GAP)) // (NARROWEST_PANEL + len(GAP))))
        share = (width + len(GAP)) // columns - len(GAP)
    lines = []
    for first in range(0, len(scene.panels), columns):
        row = scene.panels[first : first + columns]
        captions = [_write_caption(panel, share) for panel in row]
        tallest = max(map(len, captions))
        blocks = [
            [*caption, *[""] * (tallest - len(caption)), *_write_body(panel, False, coloured, share)]
            for caption, panel in zip(captions, row, strict=True)
        ]
        lines += _flow(blocks, width)
    return lines


def _wrap(text: str, width: int | None) -> list[str]:
    """Return one line, or, where it is longer than the width, several."""
    if width is None or len(text) <= width:
        return [text]
    indent = "  " if width > len("  ") else ""
    return textwrap.wrap(text, max(1, width), subsequent_indent=indent, break_on_hyphens=False)


def _write_floor(scene: Scene, coloured: bool) -> list[str]:
    """Return the floor with a policy's arrows and, above all, the marks."""
    cells = [list(row) for row in scene.floor]
    for overlay in scene.overlays:
        if isinstance(overlay, Arrows):
            _put(cells, [(row, column, ARROWS.get(action, action[:1])) for row, column, action in overlay.cells])
    _put(cells, [(mark.row, mark.column, _paint(mark.glyph[:1], mark.role, coloured)) for mark in scene.marks])
    return ["".join(row) for row in cells]


def _write_overlays(scene: Scene, width: int | None) -> list[list[str]]:
    return [grid for overlay in scene.overlays if (grid := _write_overlay(scene.floor, overlay, width))]


def _write_overlay(floor: Sequence[str], overlay: Overlay, width: int | None) -> list[str]:
    cells = [list(row) for row in floor]
    if isinstance(overlay, Heat):
        low, high = find_value_range(overlay)
        letters = [
            (row, column, chr(ord("a") + round(25 * compute_relative_position(number, low, high))))
            for row, column, number in select_finite_cells(overlay)
        ]
        _put(cells, letters)
        title = f"{overlay.name}: a {trim_number(low)}, z {trim_number(high)}"
    elif isinstance(overlay, Path):
        visited = drop_repeats(overlay)
        steps = [
            (*cell, ARROWS.get(find_neighbour_side(cell, following), "+")) for cell, following in pairwise(visited)
        ]
        _put(cells, steps + [(*cell, "*") for cell in visited[-1:]])
        title = overlay.name
    else:
        return []
    return [*("".join(row) for row in cells), *_wrap(title, width)]


def _put(cells: list[list[str]], letters: Sequence[tuple[int, int, str]]) -> None:
    for row, column, letter in letters:
        if 0 <= row < len(cells) and 0 <= column < len(cells[row]) and letter:
            cells[row][column] = letter


def _paint(text: str, role: str, coloured: bool) -> str:
    red, green, blue = colour(role)
    return f"\x1b[1;38;2;{red};{green};{blue}m{text}\x1b[0m" if coloured else text


def _count_visible(line: str) -> int:
    """Return the number of letters that a terminal shows."""
    return len(_COLOURS.sub("", line))


def _flow(blocks: Sequence[list[str]], width: int | None) -> list[str]:
    """Blocks side by side; what would pass the width begins a new row."""
    rows: list[list[list[str]]] = [[]]
    used = 0
    for block in blocks:
        needed = max(map(_count_visible, block), default=0)
        if width is not None and rows[-1] and used + len(GAP) + needed > width:
            rows.append([])
        used = needed + (used + len(GAP) if rows[-1] else 0)
        rows[-1].append(block)
    return [line for row in rows for line in _put_beside(row)]


def _put_beside(blocks: Sequence[list[str]]) -> list[str]:
    widths = [max(map(_count_visible, block), default=0) for block in blocks]
    rows = zip_longest(*blocks, fillvalue="")
    return [
        GAP.join(line + " " * (width - _count_visible(line)) for line, width in zip(row, widths, strict=True))
        for row in rows
    ]


def _write_bar(share: float) -> str:
    """Return a bar of signs; one that is longer than there is room is drawn broken."""
    if share > 1 + 1e-9:
        return "#" * (BAR_LENGTH - 4) + "//##"
    return "#" * round(BAR_LENGTH * share)


def _write_chart(chart: Chart, width: int | None) -> list[str]:
    title = [f"{chart.name}:"] if chart.name else []
    if isinstance(chart, Bars):
        limit = chart.limit or max((abs(bar.number) for bar in chart.bars), default=0.0) or 1.0
        wide = max((len(bar.label) for bar in chart.bars), default=0)
        for bar in chart.bars:
            signs = _write_bar(abs(bar.number) / limit)
            title.append(f"  {bar.label:{wide}} {signs:{BAR_LENGTH}} {bar.text or trim_number(bar.number)}")
        return title
    if isinstance(chart, NumberLine):
        return title + _write_number_line(chart, width)
    return title + (_write_strip(chart, width) if isinstance(chart, Strip) else _write_graph(chart))


def _write_number_line(chart: NumberLine, width: int | None) -> list[str]:
    """A line for each stretch, "*" where the line points; what is too long for the width goes on below its words."""
    ends = list_edges(chart)
    now = min(bisect.bisect_right(ends, chart.at), len(ends) - 1) - 1 if chart.at is not None else None
    words = [stretch.label for stretch in chart.stretches] or [""] * (len(ends) - 1)
    spans = [write_number(end) for end in ends[:-1]]
    lines = []
    for number, (start, text) in enumerate(zip(spans, words, strict=False)):
        begin = f"  {'*' if number == now else ' '} from {start:{max(map(len, spans))}}  "
        room = None if width is None else max(width - len(begin), NARROWEST_WORDS)
        first, *more = _wrap(text, room)
        lines += [begin + first, *(" " * len(begin) + line for line in more)]
    return lines


def _write_strip(chart: Strip, width: int | None) -> list[str]:
    """Ticks in lines of STRIP_LENGTH, or of as many as the width holds, with "^" below the one to point at."""
    lines = []
    texts = [tick.text or "." for tick in chart.ticks]
    first = 0
    while first < len(texts):
        shown = texts[first : first + STRIP_LENGTH]
        while width is not None and len(shown) > 1 and len("  " + " ".join(shown)) > width:
            shown.pop()
        lines.append("  " + " ".join(shown))
        if chart.now is not None and first <= chart.now < first + len(shown):
            before = sum(len(text) + 1 for text in shown[: chart.now - first])
            lines.append("  " + " " * before + "^")
        first += len(shown)
    return lines


def _write_graph(chart: Graph) -> list[str]:
    labels = {
        node.name: f"{node.label or node.name}{node.subscript}" + " (over)" * node.crossed for node in chart.nodes
    }
    words = {key.role: key.words for key in chart.legend if key.sign == "arrow"}
    lonely = dict.fromkeys(labels)
    lines = []
    for edge in chart.edges:
        lonely.pop(edge.source, None)
        lonely.pop(edge.target, None)
        arrow = f"-{edge.label}->" if edge.label else "->"
        mark = "" if edge.role == "plain" else f" ({words.get(edge.role, edge.role)})"
        lines.append(f"  {labels.get(edge.source, edge.source)} {arrow} {labels.get(edge.target, edge.target)}{mark}")
    lines += [f"  {labels[name]}" for name in lonely]
    for key in chart.legend:
        if key.sign == "ring":
            marked = [labels[node.name] for node in chart.nodes if node.ring == key.role]
            lines.append(f"  {key.words}: {', '.join(marked)}")
    return lines
