"""Charts of a scene as images of a given width: bars, strips, graphs and number lines, each below its title.

`size` is the height of a capital letter in pixels. The nodes of a graph lie on a grid; its arrows go from rim to
rim and keep clear of other nodes. The stretches of a number line are equally wide, however long they are: break points
may lie a thousandth and then five apart, and on an even scale most stretches would be too short to point at.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.plain_values import write_number
from engine.scene import Bars, Chart, Edge, Graph, Node, NumberLine, Strip, Tick
from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, PixelPoint, around, blank, fill
from renderers.drawing.stroke_font import line_height, text_width, wrap, write, write_centred
from renderers.drawing.tiles import draw_stretches, trim_number

MOST_TITLE_LINES = 2


def draw_title(name: str, height: int, width: int, size: float) -> tuple[Image, int]:
    """A blank image with a title; where the rest may begin."""
    lines = wrap(name, width, size * 0.9, bold=True)[:MOST_TITLE_LINES] if name else []
    top = line_height(size) * len(lines)
    image = blank(top + height, width, palette.PAPER)
    for number, line in enumerate(lines):
        write(image, line, 0, number * line_height(size), size * 0.9, palette.PALE_INK, bold=True)
    return image, top


BOW_STEPS = 80
STRAIGHT_PIECE = 32.0  # pixels
BENDS = (0.0, 1.5, -1.5, 3.0, -3.0, 4.5, -4.5, 6.0, -6.0)  # radii that the middle of a bow's frame lies aside
_STEPS = np.linspace(0.0, 1.0, BOW_STEPS + 1)
_BOW = np.stack([(1 - _STEPS) ** 2, 2 * _STEPS * (1 - _STEPS), _STEPS**2])[..., None]
"""float64[3, steps, 1]: the weights of start, middle and end along a quadratic Bezier curve."""


def draw_graph(chart: Graph, width: int, size: float) -> Image:
    """The graph, nodes at their places stretched to the width, names in or below them."""
    columns = len({node.x for node in chart.nodes})
    rows = len({node.y for node in chart.nodes})
    radius = min(size * 2.0, width / max(1, columns) * 0.36)
    outside = [_write_label(node) for node in chart.nodes if not _fits(node, radius, size)]
    below = max((text_width(label, size * 0.9) for label in outside), default=0.0)
    room = size * 1.3 if outside else 0.0  # for names below the lowest nodes
    height = round(max(rows, 1) * radius * 3.4 + radius + room)
    width = min(width, round(max(columns, 1) * radius * 4.6 + 2 * radius))
    image, top = draw_title(chart.name, height, width, size)
    canvas = image[top:]
    margin = radius * 1.25
    side = max(margin, below / 2)
    across = _stretch([node.x for node in chart.nodes], side, width - side)
    down = _stretch([node.y for node in chart.nodes], margin, height - margin - room)
    centres = {node.name: (x, y) for node, x, y in zip(chart.nodes, across, down, strict=True)}
    for edge in chart.edges:
        if edge.source in centres and edge.target in centres:
            _draw_edge(canvas, edge, centres, radius, size)
    for node in chart.nodes:
        _draw_node(canvas, node, centres[node.name], radius, size)
    return image


def _stretch(numbers: Sequence[float], first: float, last: float) -> list[float]:
    """Numbers stretched so that the least is at `first` and the greatest at `last`; equal ones lie in the middle."""
    if not numbers or max(numbers) == min(numbers):
        return [(first + last) / 2] * len(numbers)
    low, high = min(numbers), max(numbers)
    return [first + (number - low) / (high - low) * (last - first) for number in numbers]


def _draw_edge(canvas: Image, edge: Edge, centres: Mapping[str, PixelPoint], radius: float, size: float) -> None:
    """An arrow from rim to rim, bent where another node lies in its way."""
    start = centres[edge.source]
    end = centres[edge.target]
    others = [centre for name, centre in centres.items() if name not in (edge.source, edge.target)]
    line = _find_edge_points(start, end, others, radius)
    if len(line) < 2:
        return
    before = line[-2]
    tip = line[-1]
    length = ((tip[0] - before[0]) ** 2 + (tip[1] - before[1]) ** 2) ** 0.5 or 1.0
    right, down = (tip[0] - before[0]) / length, (tip[1] - before[1]) / length
    shade = palette.colour(edge.role) if edge.role != "plain" else palette.PALE_INK
    pen = max(1.2, size * (0.14 if edge.role == "plain" else 0.24))
    wing = max(4.0, size * 0.5)
    base = (tip[0] - right * wing * 1.5, tip[1] - down * wing * 1.5)
    part, shaft = shapes.around(canvas, [*line[:-1], base], pen)
    fill(part, shapes.polyline(part.shape[0], part.shape[1], shaft, pen), shade)
    side = (down * wing * 0.7, -right * wing * 0.7)
    head = [tip, (base[0] - side[0], base[1] - side[1]), (base[0] + side[0], base[1] + side[1])]
    part, corners = shapes.around(canvas, head, 1.0)
    fill(part, shapes.polygon(part.shape[0], part.shape[1], corners), shade)
    if edge.label:
        middle = line[len(line) // 2] if len(line) > 2 else ((start[0] + tip[0]) / 2, (start[1] + tip[1]) / 2)
        half = (text_width(edge.label, size * 0.85) / 2 + 2, size * 0.75)
        part, (inside,) = shapes.around(canvas, [middle], max(half) + 2)
        fill(part, shapes.box(part.shape[0], part.shape[1], inside, half, 2), palette.PAPER)
        write_centred(canvas, edge.label, middle, size * 0.85, shade)


def _find_edge_points(
    start: PixelPoint, end: PixelPoint, others: Sequence[PixelPoint], radius: float
) -> list[PixelPoint]:
    """Points from rim to rim: straight, or bowed to the side that keeps farther from the other nodes."""
    length = _is_apart(start, end)
    if length <= 2.2 * radius:
        return []
    across, along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    obstacles = np.array(others, dtype=np.float64).reshape(-1, 1, 2)
    best = np.zeros((0, 2))
    most = -1.0
    bow = max(1, round(STRAIGHT_PIECE / length * BOW_STEPS))  # a straight arrow needs fewer points
    for bend in (radius * factor for factor in BENDS):
        middle = ((start[0] + end[0]) / 2 - along * bend, (start[1] + end[1]) / 2 + across * bend)
        curve = _BOW[0] * np.array(start) + _BOW[1] * np.array(middle) + _BOW[2] * np.array(end)
        outside = (_measure_distances(curve, start) > radius) & (_measure_distances(curve, end) > radius * 1.06)
        curve = curve[outside]
        room = float(_measure_distances(curve, obstacles).min(initial=np.inf))
        if room > most:
            best = curve
            most = room
        if room > radius * 1.15:
            break
        bow = 1
    return [(float(x), float(y)) for x, y in (*best[:-1:bow], *best[-1:])]


def _measure_distances(points: NDArray[np.float64], other: PixelPoint | NDArray[np.float64]) -> NDArray[np.float64]:
    """From each point to another one, or to several: points[..., 2] against other[..., 2]."""
    apart = points - np.asarray(other)
    distances: NDArray[np.float64] = np.sqrt(apart[..., 0] ** 2 + apart[..., 1] ** 2)
    return distances


def _is_apart(first: PixelPoint, second: PixelPoint) -> float:
    return float(((first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2) ** 0.5)


def _draw_node(canvas: Image, node: Node, centre: PixelPoint, radius: float, size: float) -> None:
    shade = palette.WHITE if node.role == "plain" else palette.colour(node.role)
    rim = palette.mix_colours(shade, palette.INK, 0.35)
    ink = palette.readable_colour(shade)
    part, (middle,) = shapes.around(canvas, [centre], radius * 1.2 + 1)
    height, width = part.shape[:2]
    corners = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    if node.shape == "square":
        body = shapes.box(height, width, middle, (radius * 0.88, radius * 0.88), radius * 0.15)
    elif node.shape == "diamond":
        placed = [(middle[0] + x * radius * 1.2, middle[1] + y * radius * 1.2) for x, y in corners]
        body = shapes.polygon(height, width, placed)
    else:
        body = shapes.disc(height, width, middle, radius)
    fill(part, body, rim)
    fill(part, body + max(1.2, size * 0.14), shade)
    if node.crossed:
        shapes.cross_out(canvas, centre, radius)
        fill(part, shapes.disc(height, width, middle, size * 0.95), shade)
    label = _write_label(node)
    if _fits(node, radius, size):
        write_centred(canvas, label, centre, size if text_width(label, size) <= radius * 1.7 else size * 0.8, ink)
    else:
        write_centred(canvas, label, (centre[0], centre[1] + radius + size * 0.8), size * 0.9)


def _write_label(node: Node) -> str:
    return node.label or node.name


def _fits(node: Node, radius: float, size: float) -> bool:
    """Whether the name is written into the node, or else below it."""
    return text_width(_write_label(node), size * 0.8) <= radius * 1.8


POINTER = "↑"
MOST_STRIP_LINES = 3
WIDEST_IN_CAPITALS = 70
SHORTEST_FULL_BAR = 8
STRIP_IN_CAPITALS = 30


def least_width(charts: Sequence[Chart], size: float) -> int:
    """The pixels that bars take with their labels and numbers where the longest is a few letters long, strips some."""
    words = [
        text_width(bar.label, size) + text_width(bar.text or trim_number(bar.number), size)
        for chart in charts
        if isinstance(chart, Bars)
        for bar in chart.bars
    ]
    bars = round(max(words) + SHORTEST_FULL_BAR * size) if words else 0
    strips = [_compute_pitch(chart, size) * len(chart.ticks) for chart in charts if isinstance(chart, Strip)]
    return max(bars, min(max(strips, default=0), round(STRIP_IN_CAPITALS * size)))


def draw_charts(charts: Sequence[Chart], width: int, size: float) -> list[Image]:
    """The images of charts below one another; steps of strips of equal length are equally wide, to be compared."""
    pitches: dict[int, int] = {}
    for chart in charts:
        if isinstance(chart, Strip):
            pitches[len(chart.ticks)] = max(pitches.get(len(chart.ticks), 0), _compute_pitch(chart, size))
    return [
        _draw_strip(chart, width, size, pitches[len(chart.ticks)]) if isinstance(chart, Strip)
        else _draw_bars(chart, width, size) if isinstance(chart, Bars)
        else draw_number_line(chart, width, size) if isinstance(chart, NumberLine)
        else draw_graph(chart, width, size)
        for chart in charts
    ]  # fmt: skip


def _draw_bars(chart: Bars, width: int, size: float) -> Image:
    pitch = round(line_height(size) * 1.15)
    width = min(width, round(size * WIDEST_IN_CAPITALS))
    image, top = draw_title(chart.name, pitch * len(chart.bars), width, size)
    texts = [bar.text or trim_number(bar.number) for bar in chart.bars]
    left = max((text_width(bar.label, size) for bar in chart.bars), default=0) + round(size)
    right = max((text_width(text, size) for text in texts), default=0) + round(size)
    limit = chart.limit or max((abs(bar.number) for bar in chart.bars), default=0.0) or 1.0
    room = max(10, width - left - right)
    signs = {bar.number < 0 for bar in chart.bars if bar.number} or {False}
    zero = left + (room / len(signs) if True in signs else 0)
    full = room / len(signs)
    for i, (bar, text) in enumerate(zip(chart.bars, texts, strict=True)):
        row = top + i * pitch
        middle = row + pitch / 2
        write(image, bar.label, 0, row, size)
        share = min(1.0, abs(bar.number) / limit) if math.isfinite(bar.number) else 1.0
        side = -share if bar.number < 0 else share
        for start, length, shade in ((left, room, palette.FLOOR_LINE), (zero, side * full, palette.colour(bar.role))):
            half = abs(length) / 2
            if half > 0:
                centre = start + length / 2, middle - row
                body = shapes.box(pitch, width, centre, (half, pitch * 0.3), min(half, pitch * 0.12))
                fill(image[row : row + pitch], body, shade)
        if abs(bar.number) > limit * (1 + 1e-9):
            _draw_break(image[row : row + pitch], zero + side * full * 0.8, pitch)
        write(image, text, left + room + size * 0.6, row, size)
    return image


def _draw_break(target: Image, x: float, pitch: int) -> None:
    """Two slanted cuts through a bar that is longer than it is drawn."""
    for shift in (-0.18, 0.18):
        ends = [(x + (shift - 0.12) * pitch, pitch * 0.9), (x + (shift + 0.12) * pitch, pitch * 0.1)]
        fill(target, shapes.polyline(target.shape[0], target.shape[1], ends, max(1.5, pitch * 0.1)), palette.PAPER)


def _compute_pitch(chart: Strip, size: float) -> int:
    """How wide a step of a strip must be."""
    return round(max(size * 2.2, max((text_width(tick.text, size) for tick in chart.ticks), default=0) + size * 0.8))


def _draw_strip(chart: Strip, width: int, size: float, pitch: int) -> Image:
    """Steps as chips in a few lines; of a long strip the lines around `now`, or the last ones."""
    fitting = max(1, width // pitch)
    focus = len(chart.ticks) - 1 if chart.now is None else chart.now
    lines = [chart.ticks[i : i + fitting] for i in range(0, len(chart.ticks), fitting)]
    first = max(0, min(focus // fitting - MOST_STRIP_LINES // 2, len(lines) - MOST_STRIP_LINES))
    lines = lines[first : first + MOST_STRIP_LINES]
    tall = round(size * 2.2)
    below = line_height(size * 0.8) if chart.now is not None else 2
    image, top = draw_title(chart.name, (tall + below) * len(lines), width, size)
    for row, line in enumerate(lines):
        for column, tick in enumerate(line):
            y, x = top + row * (tall + below), column * pitch
            _draw_chip(image[y : y + tall, x : x + pitch], tick, size)
            if (first + row) * fitting + column == chart.now:
                write_centred(image, POINTER, (x + pitch / 2, y + tall + size * 0.6), size * 0.9, palette.INK)
    return image


def _draw_chip(target: Image, tick: Tick, size: float) -> None:
    tall, pitch = target.shape[:2]
    shade = palette.FLOOR if tick.role == "plain" else palette.colour(tick.role)
    fill(target, shapes.box(tall, pitch, (pitch / 2, tall / 2), (pitch / 2 - 1, tall / 2 - 1), size * 0.3), shade)
    write_centred(target, tick.text, (pitch / 2, tall / 2), size, palette.readable_colour(shade))


KNOB_IN_CAPITALS = 0.75
MOST_LINES = 3


def list_edges(line: NumberLine) -> tuple[float, ...]:
    """Return the ends of all stretches, ascending; the endless last stretch is drawn as long as all before it."""
    inner = [point for point in line.points if point > line.low]
    last = inner[-1] if inner else line.low
    return (line.low, *inner, last + max(1.0, last - line.low))


def locate_number(line: NumberLine, number: float) -> float:
    """How far along the line a number lies, in [0, 1]."""
    ends = list_edges(line)
    number = min(max(number, ends[0]), ends[-1])
    stretch = min(bisect.bisect_right(ends, number), len(ends) - 1) - 1
    inside = (number - ends[stretch]) / (ends[stretch + 1] - ends[stretch])
    return (stretch + inside) / (len(ends) - 1)


def find_number(line: NumberLine, share: float) -> float:
    """The number that lies so far along the line; the inverse of `locate_number`."""
    ends = list_edges(line)
    along = min(max(share, 0.0), 1.0) * (len(ends) - 1)
    stretch = min(int(along), len(ends) - 2)
    return ends[stretch] + (along - stretch) * (ends[stretch + 1] - ends[stretch])


def draw_number_line(line: NumberLine, width: int, size: float) -> Image:
    """The line in the patterns of its stretches, a tick and a number at each break point, the labels below.

    size: pixels a capital. The line spans the whole width but for a margin of one capital at both sides.
    """
    ends = list_edges(line)
    count = len(ends) - 1
    pitch = (width - 2 * size) / (len(ends) - 1)
    labels = [wrap(text, max(1, round(pitch - size)), size)[:MOST_LINES] if text else [] for text, _ in line.stretches]
    lines = max(map(len, labels), default=0)
    top = round(size * 2.0)
    image = blank(top + line_height(size) * (1 + lines) + round(size * 0.5), width, palette.PAPER)
    for number in range(count):
        start = size + number * pitch
        role = line.stretches[number][1] if line.stretches else "plain"
        ends_at = (start, size), (start + pitch, size)
        if role == "plain":
            part, placed = around(image, ends_at, size)
            fill(part, shapes.polyline(part.shape[0], part.shape[1], placed, size * 0.3), palette.PALE_INK)
        else:
            draw_stretches(image, role, [ends_at], 3 * size, size * 0.4)
    _draw_ticks(image, line, ends, pitch, size)
    for number, text in enumerate(labels):
        for row, words in enumerate(text):
            centre = size + (number + 0.5) * pitch, top + line_height(size) * (row + 1.5)
            write_centred(image, words, centre, size)
    if line.at is not None:
        part, (centre,) = around(image, [(size + locate_number(line, line.at) * count * pitch, size)], size)
        for shade, radius in ((palette.PAPER, 1.15), (palette.INK, 1.0)):
            fill(part, shapes.disc(part.shape[0], part.shape[1], centre, size * KNOB_IN_CAPITALS * radius), shade)
    return image


def _draw_ticks(image: Image, line: NumberLine, ends: tuple[float, ...], pitch: float, size: float) -> None:
    """A tick at each break point, its number where it does not touch the one before; the line's name at the right."""
    name = line.name
    free = -size
    room = image.shape[1] - text_width(name, size) - size if name else image.shape[1]
    write(image, name, room, size * 2.0, size, palette.PALE_INK)
    for number, end in enumerate(ends[:-1]):
        x = size + number * pitch
        text = write_number(end, 3)
        part, placed = around(image, [(x, size * 0.3), (x, size * 1.7)], 2)
        fill(part, shapes.polyline(part.shape[0], part.shape[1], placed, max(1.2, size * 0.18)), palette.INK)
        half = text_width(text, size, True) / 2
        left = max(0.0, x - half)
        if left > free + size * 0.5 and left + 2 * half < room - size * 0.5:
            write(image, text, left, size * 2.0, size, palette.INK, bold=True)
            free = left + 2 * half
