"""Charts of a scene as images of a given width: bars, strips, graphs and number lines, each below its title.

`size` is the height of a capital letter in pixels. The nodes of a graph lie on a grid; its arrows go from rim to
rim and keep clear of other nodes. The stretches of a number line are equally wide, however long they are: break points
may lie a thousandth and then five apart, and on an even scale most stretches would be too short to point at.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.plain_values import write_number
from engine.scene import Bars, Chart, Edge, Graph, Key, Node, NumberLine, Strip, Tick
from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, PixelPoint, around, blank, fill
from renderers.drawing.stroke_font import line_height, text_width, wrap, write, write_centred
from renderers.drawing.tiles import draw_stretches, trim_number

MOST_TITLE_LINES = 2


def draw_title(name: str, height: int, width: int, size: float) -> tuple[Image, int]:
    """Return a blank image with a title; where the rest may begin."""
    lines = wrap(name, width, size * 0.9)[:MOST_TITLE_LINES] if name else []
    top = line_height(size) * len(lines)
    image = blank(top + height, width, palette.PAPER)
    for number, line in enumerate(lines):
        write(image, line, 0, number * line_height(size), size * 0.9, palette.PALE_INK, bold=True)
    return image, top


BOW_STEPS = 80
STRAIGHT_PIECE = 32.0  # pixels
BENDS = (0.0, 1.5, -1.5, 3.0, -3.0, 4.5, -4.5, 6.0, -6.0, 0.75, -0.75, 2.25, -2.25)
"""Radii that the middle of a bow's frame lies aside."""
FAR, CREST = 4.5, 2.0  # radii: across from which an arc is tried, and how far it rises above its ends
_STEPS = np.linspace(0.0, 1.0, BOW_STEPS + 1)
_BOW = np.stack([(1 - _STEPS) ** 2, 2 * _STEPS * (1 - _STEPS), _STEPS**2])[..., None]
"""float64[3, steps, 1]: the weights of start, middle and end along a quadratic Bezier curve."""


RING, GAP = 1.3, 1.14  # radii of a ring, outside and inside
SUBSCRIPT = 0.72  # of the letters before it
SQUARE, DIAMOND = 0.88, 1.2  # radii from the centre to a side, and to a corner
CORNERS = {"square": 1.2, "diamond": DIAMOND}  # how much farther than a circle they reach


class GraphLayout(NamedTuple):
    """Where a graph is drawn, in pixels. lines: the points of each edge, fewer than two for one that is not drawn."""

    width: int
    height: int
    radius: float
    centres: dict[str, PixelPoint]
    lines: list[list[PixelPoint]]


def lay_out_graph(chart: Graph, width: int, size: float) -> GraphLayout:
    """Lay a graph out: nodes at their places stretched to the width, arrows that keep clear of other nodes."""
    columns = len({node.x for node in chart.nodes})
    rows = len({node.y for node in chart.nodes})
    radius = min(size * 2.0, width / max(1, columns) * 0.36)
    outside = [node for node in chart.nodes if not _fits(node, radius, size)]
    below = max((_measure_label(node, size * 0.9) for node in outside), default=0.0)
    room = size * 1.3 if outside else 0.0  # for names below the lowest nodes
    height = round(max(rows, 1) * radius * 3.4 + radius + room)
    width = min(width, round(max(columns, 1) * radius * 4.6 + 2 * radius))
    margin = radius * (1.25 * RING if any(node.ring for node in chart.nodes) else 1.25)
    side = max(margin, below / 2)
    across = _stretch([node.x for node in chart.nodes], side, width - side)
    down = _stretch([node.y for node in chart.nodes], margin, height - margin - room)
    centres = {node.name: (x, y) for node, x, y in zip(chart.nodes, across, down, strict=True)}
    nodes = {node.name: node for node in chart.nodes}
    lines = [
        _find_edge_points(edge, nodes, centres, radius) if edge.source in centres and edge.target in centres else []
        for edge in chart.edges
    ]
    rise = max(0.0, math.ceil(size * 0.5 - min((y for line in lines for _, y in line), default=size)))  # of arcs
    centres = {name: (x, y + rise) for name, (x, y) in centres.items()}
    lines = [[(x, y + rise) for x, y in line] for line in lines]
    return GraphLayout(width, height + round(rise), radius, centres, lines)


def draw_graph(chart: Graph, width: int, size: float) -> Image:
    """Return the graph, names in or below its nodes, and its legend."""
    layout = lay_out_graph(chart, width, size)
    legend = _place_keys(chart.legend, layout.width, size)
    pitch = line_height(size) * 1.3
    lines = 1 + max((row for row, _ in legend), default=-1)
    image, top = draw_title(chart.name, layout.height + round(pitch * (lines + 0.5 * bool(lines))), layout.width, size)
    canvas = image[top:]
    for edge, line in zip(chart.edges, layout.lines, strict=True):
        if len(line) > 1:
            _draw_edge(canvas, edge, line, size)
    for node in chart.nodes:
        _draw_node(canvas, node, layout.centres[node.name], layout.radius, size)
    for key, (row, left) in zip(chart.legend, legend, strict=True):
        _draw_key(canvas, key, (left, layout.height + (row + 0.9) * pitch), size)
    return image


SIGN_IN_CAPITALS = 2.6


def _place_keys(keys: Sequence[Key], width: int, size: float) -> list[tuple[int, float]]:
    """Return the line of each key and its left end: side by side, in a new line wherever the next one does not fit."""
    placed = list[tuple[int, float]]()
    row, left = 0, 0.0
    for key in keys:
        taken = (SIGN_IN_CAPITALS + 0.6) * size + text_width(key.words, size)
        if left and left + taken > width:
            row, left = row + 1, 0.0
        placed.append((row, left))
        left += taken + 1.6 * size
    return placed


def _draw_key(canvas: Image, key: Key, place: PixelPoint, size: float) -> None:
    """A sign and its words. place: the left end of the sign and the middle of its line."""
    left, middle = place
    centre = (left + SIGN_IN_CAPITALS * size / 2, middle)
    if key.sign == "arrow":
        half = SIGN_IN_CAPITALS * size / 2
        _draw_edge(canvas, Edge("", "", key.role), [(left, middle), (centre[0] + half, middle)], size)
    elif key.sign == "ring":
        _draw_node(canvas, Node("", 0, 0, " ", ring=key.role), centre, size * 0.65, size)
    else:
        _draw_node(canvas, Node("", 0, 0, " ", key.role, key.sign), centre, size * 0.75, size)
    words = left + (SIGN_IN_CAPITALS + 0.6) * size
    write(canvas, key.words, words, middle - size * 0.8, size)


def _stretch(numbers: Sequence[float], first: float, last: float) -> list[float]:
    """Numbers stretched so that the least is at `first` and the greatest at `last`; equal ones lie in the middle."""
    if not numbers or max(numbers) == min(numbers):
        return [(first + last) / 2] * len(numbers)
    low, high = min(numbers), max(numbers)
    return [first + (number - low) / (high - low) * (last - first) for number in numbers]


def _draw_edge(canvas: Image, edge: Edge, line: Sequence[PixelPoint], size: float) -> None:
    """An arrow along points, its label at their middle."""
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
        start = line[0]
        middle = line[len(line) // 2] if len(line) > 2 else ((start[0] + tip[0]) / 2, (start[1] + tip[1]) / 2)
        half = (text_width(edge.label, size * 0.85) / 2 + 2, size * 0.75)
        part, (inside,) = shapes.around(canvas, [middle], max(half) + 2)
        fill(part, shapes.box(part.shape[0], part.shape[1], inside, half, 2), palette.PAPER)
        write_centred(canvas, edge.label, middle, size * 0.85, shade)


def _find_edge_points(
    edge: Edge, nodes: Mapping[str, Node], centres: Mapping[str, PixelPoint], radius: float
) -> list[PixelPoint]:
    """Points from rim to rim: straight, or bowed to the side that keeps farther from the other nodes."""
    start, end = centres[edge.source], centres[edge.target]
    length = _is_apart(start, end)
    if length <= 2.2 * radius:
        return []
    others = [name for name in centres if name not in (edge.source, edge.target)]
    obstacles = np.array([centres[name] for name in others], dtype=np.float64).reshape(-1, 1, 2)
    kept = np.array([_find_reach(nodes[name], radius) * CORNERS.get(nodes[name].shape, 1.0) for name in others])
    best = np.zeros((0, 2))
    most = -np.inf
    for curve, straight in _list_curves(start, end, radius):
        leaves = _lie_outside(curve, nodes[edge.source], start, radius)
        outside = curve[leaves & _lie_outside(curve, nodes[edge.target], end, radius * 1.06)]
        room = float((_measure_distances(outside, obstacles) - kept[:, None]).min(initial=np.inf))
        if room > most:
            # a straight arrow needs fewer points
            step = max(1, round(STRAIGHT_PIECE / length * BOW_STEPS)) if straight else 1
            best = np.concatenate([outside[:-1:step], outside[-1:]])
            most = room
        if room > radius * 0.15:
            break
    return [(float(x), float(y)) for x, y in best]


def _list_curves(start: PixelPoint, end: PixelPoint, radius: float) -> Iterator[tuple[NDArray[np.float64], bool]]:
    """Yield the ways that an arrow may take, from centre to centre, and whether it is straight: bows, then an arc."""
    length = _is_apart(start, end)
    across, along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    for bend in (radius * factor for factor in BENDS):
        middle = ((start[0] + end[0]) / 2 - along * bend, (start[1] + end[1]) / 2 + across * bend)
        yield _bow(start, middle, end), not bend
    right = end[0] - start[0]
    if abs(right) > FAR * radius:
        crest = min(start[1], end[1]) - CREST * radius
        bend = math.copysign(radius, right)
        level, falling = (start[0] + 2 * bend, crest), (end[0] - bend, crest)
        below = (end[0], crest + radius)
        first = _bow(start, (start[0] + bend, crest), level)
        yield (
            np.concatenate([first, _line(level, falling), _bow(falling, (end[0], crest), below), _line(below, end)]),
            False,
        )


def _bow(start: PixelPoint, middle: PixelPoint, end: PixelPoint) -> NDArray[np.float64]:
    """float64[N, 2]: points along a quadratic Bezier curve."""
    curve: NDArray[np.float64] = _BOW[0] * np.array(start) + _BOW[1] * np.array(middle) + _BOW[2] * np.array(end)
    return curve


def _line(start: PixelPoint, end: PixelPoint) -> NDArray[np.float64]:
    """float64[N, 2]: points along a straight line, without its ends."""
    return _bow(start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)[1:-1]


def _find_reach(node: Node, radius: float) -> float:
    """Return how far from its centre a node is left by arrows."""
    return radius * (RING if node.ring else 1.0)


def _lie_outside(points: NDArray[np.float64], node: Node, centre: PixelPoint, radius: float) -> NDArray[np.bool_]:
    """bool[N]: which points lie outside a node."""
    across, down = np.abs(points - np.asarray(centre)).T
    reach = _find_reach(node, radius)
    if node.shape == "square":
        outside: NDArray[np.bool_] = np.maximum(across, down) > SQUARE * reach
    elif node.shape == "diamond":
        outside = across + down > DIAMOND * reach
    else:
        outside = np.hypot(across, down) > reach
    return outside


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
    part, (middle,) = shapes.around(canvas, [centre], radius * 1.2 * (RING if node.ring else 1.0) + 1)
    if node.ring:
        fill(part, _shape_node(node.shape, part, middle, radius * RING), palette.colour(node.ring))
        fill(part, _shape_node(node.shape, part, middle, radius * GAP), palette.PAPER)
    body = _shape_node(node.shape, part, middle, radius)
    fill(part, body, rim)
    fill(part, body + max(1.2, size * 0.14), shade)
    if node.crossed:
        shapes.cross_out(canvas, centre, radius)
        fill(part, shapes.disc(part.shape[0], part.shape[1], middle, size * 0.95), shade)
    if _fits(node, radius, size):
        _write_label(canvas, node, centre, size if _measure_label(node, size) <= radius * 1.7 else size * 0.8, ink)
    else:
        below = centre[1] + _find_reach(node, radius) + size * 0.8
        _write_label(canvas, node, (centre[0], below), size * 0.9, palette.INK)


def _shape_node(shape: str, part: Image, middle: PixelPoint, radius: float) -> shapes.Distance:
    """Return the shape of a node on a part of a picture."""
    height, width = part.shape[:2]
    if shape == "square":
        return shapes.box(height, width, middle, (radius * SQUARE, radius * SQUARE), radius * 0.15)
    if shape == "diamond":
        corners = [(0, -1), (1, 0), (0, 1), (-1, 0)]
        placed = [(middle[0] + x * radius * DIAMOND, middle[1] + y * radius * DIAMOND) for x, y in corners]
        return shapes.polygon(height, width, placed)
    return shapes.disc(height, width, middle, radius)


def _write_label(canvas: Image, node: Node, centre: PixelPoint, size: float, colour: palette.Colour) -> None:
    """The label with its subscript, its middle at a point."""
    label = node.label or node.name
    left = centre[0] - _measure_label(node, size) / 2
    write(canvas, label, left, centre[1] - size * 0.8, size, colour)
    small = size * SUBSCRIPT
    write(canvas, node.subscript, left + text_width(label, size), centre[1] - small * 0.3, small, colour)


def _measure_label(node: Node, size: float) -> int:
    return text_width(node.label or node.name, size) + text_width(node.subscript, size * SUBSCRIPT)


def _fits(node: Node, radius: float, size: float) -> bool:
    """Return whether the name is written into the node, or else below it."""
    return _measure_label(node, size * 0.8) <= radius * 1.8


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
    """Return how wide a step of a strip must be."""
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
    """Return how far along the line a number lies, in [0, 1]."""
    ends = list_edges(line)
    number = min(max(number, ends[0]), ends[-1])
    stretch = min(bisect.bisect_right(ends, number), len(ends) - 1) - 1
    inside = (number - ends[stretch]) / (ends[stretch + 1] - ends[stretch])
    return (stretch + inside) / (len(ends) - 1)


def find_number(line: NumberLine, share: float) -> float:
    """Return the number that lies so far along the line; the inverse of `locate_number`."""
    ends = list_edges(line)
    along = min(max(share, 0.0), 1.0) * (len(ends) - 1)
    stretch = min(int(along), len(ends) - 2)
    return ends[stretch] + (along - stretch) * (ends[stretch + 1] - ends[stretch])


def draw_number_line(line: NumberLine, width: int, size: float) -> Image:
    """Return the line in the patterns of its stretches, a tick and a number at each break point, the labels below.

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
        half = text_width(text, size) / 2
        left = max(0.0, x - half)
        if left > free + size * 0.5 and left + 2 * half < room - size * 0.5:
            write(image, text, left, size * 2.0, size, palette.INK, bold=True)
            free = left + 2 * half
