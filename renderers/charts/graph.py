"""Graphs as images of a given width: nodes on a grid, arrows from rim to rim that keep clear of other nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.scene import Edge, Graph, Node
from renderers.charts.titled import titled
from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, PixelPoint, fill
from renderers.drawing.stroke_font import text_width, write_centred

BOW_STEPS = 80
STRAIGHT_PIECE = 32.0  # pixels
BENDS = (0.0, 1.5, -1.5, 3.0, -3.0, 4.5, -4.5, 6.0, -6.0)  # radii that the middle of a bow's frame lies aside
_STEPS = np.linspace(0.0, 1.0, BOW_STEPS + 1)
_BOW = np.stack([(1 - _STEPS) ** 2, 2 * _STEPS * (1 - _STEPS), _STEPS**2])[..., None]
"""float64[3, steps, 1]: the weights of start, middle and end along a quadratic Bezier curve."""


def graph_image(chart: Graph, width: int, size: float) -> Image:
    """The graph, nodes at their places stretched to the width, names in or below them."""
    columns = len({node.x for node in chart.nodes})
    rows = len({node.y for node in chart.nodes})
    radius = min(size * 2.0, width / max(1, columns) * 0.36)
    outside = [_label(node) for node in chart.nodes if not _fits(node, radius, size)]
    below = max((text_width(label, size * 0.9) for label in outside), default=0.0)
    room = size * 1.3 if outside else 0.0  # for names below the lowest nodes
    height = round(max(rows, 1) * radius * 3.4 + radius + room)
    width = min(width, round(max(columns, 1) * radius * 4.6 + 2 * radius))
    image, top = titled(chart.name, height, width, size)
    canvas = image[top:]
    margin = radius * 1.25
    side = max(margin, below / 2)
    across = _spread([node.x for node in chart.nodes], side, width - side)
    down = _spread([node.y for node in chart.nodes], margin, height - margin - room)
    places = {node.name: (x, y) for node, x, y in zip(chart.nodes, across, down, strict=True)}
    for edge in chart.edges:
        if edge.source in places and edge.target in places:
            _edge(canvas, edge, places, radius, size)
    for node in chart.nodes:
        _node(canvas, node, places[node.name], radius, size)
    return image


def _spread(numbers: Sequence[float], first: float, last: float) -> list[float]:
    """Numbers stretched so that the least is at `first` and the greatest at `last`; equal ones lie in the middle."""
    if not numbers or max(numbers) == min(numbers):
        return [(first + last) / 2] * len(numbers)
    low, high = min(numbers), max(numbers)
    return [first + (number - low) / (high - low) * (last - first) for number in numbers]


def _edge(canvas: Image, edge: Edge, places: Mapping[str, PixelPoint], radius: float, size: float) -> None:
    """An arrow from rim to rim, bent where another node lies in its way."""
    start, end = places[edge.source], places[edge.target]
    others = [place for name, place in places.items() if name not in (edge.source, edge.target)]
    line = _edge_points(start, end, others, radius)
    if len(line) < 2:
        return
    before, tip = line[-2], line[-1]
    length = ((tip[0] - before[0]) ** 2 + (tip[1] - before[1]) ** 2) ** 0.5 or 1.0
    right, down = (tip[0] - before[0]) / length, (tip[1] - before[1]) / length
    shade = palette.colour(edge.role) if edge.role != "plain" else palette.PALE_INK
    pen, wing = max(1.2, size * (0.14 if edge.role == "plain" else 0.24)), max(4.0, size * 0.5)
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


def _edge_points(start: PixelPoint, end: PixelPoint, others: Sequence[PixelPoint], radius: float) -> list[PixelPoint]:
    """Points from rim to rim: straight, or bowed to the side that keeps farther from the other nodes."""
    length = _apart(start, end)
    if length <= 2.2 * radius:
        return []
    across, along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    obstacles = np.array(others, dtype=np.float64).reshape(-1, 1, 2)
    best, most = np.zeros((0, 2)), -1.0
    bow = max(1, round(STRAIGHT_PIECE / length * BOW_STEPS))  # a straight arrow needs fewer points
    for bend in (radius * factor for factor in BENDS):
        middle = ((start[0] + end[0]) / 2 - along * bend, (start[1] + end[1]) / 2 + across * bend)
        curve = _BOW[0] * np.array(start) + _BOW[1] * np.array(middle) + _BOW[2] * np.array(end)
        outside = (_distances(curve, start) > radius) & (_distances(curve, end) > radius * 1.06)
        curve = curve[outside]
        room = float(_distances(curve, obstacles).min(initial=np.inf))
        if room > most:
            best, most = curve, room
        if room > radius * 1.15:
            break
        bow = 1
    return [(float(x), float(y)) for x, y in (*best[:-1:bow], *best[-1:])]


def _distances(points: NDArray[np.float64], other: PixelPoint | NDArray[np.float64]) -> NDArray[np.float64]:
    """From each point to another one, or to several: points[..., 2] against other[..., 2]."""
    apart = points - np.asarray(other)
    distances: NDArray[np.float64] = np.sqrt(apart[..., 0] ** 2 + apart[..., 1] ** 2)
    return distances


def _apart(first: PixelPoint, second: PixelPoint) -> float:
    return float(((first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2) ** 0.5)


def _node(canvas: Image, node: Node, centre: PixelPoint, radius: float, size: float) -> None:
    shade = palette.WHITE if node.role == "plain" else palette.colour(node.role)
    rim, ink = palette.mixed(shade, palette.INK, 0.35), palette.readable_colour(shade)
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
    label = _label(node)
    if _fits(node, radius, size):
        write_centred(canvas, label, centre, size if text_width(label, size) <= radius * 1.7 else size * 0.8, ink)
    else:
        write_centred(canvas, label, (centre[0], centre[1] + radius + size * 0.8), size * 0.9)


def _label(node: Node) -> str:
    return node.label or node.name


def _fits(node: Node, radius: float, size: float) -> bool:
    """Whether the name is written into the node, or else below it."""
    return text_width(_label(node), size * 0.8) <= radius * 1.8
