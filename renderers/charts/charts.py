"""Bars, strips and graphs as images of a given width; `size` is the height of a capital letter in pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.scene import Bars, Chart, NumberLine, Strip, Tick
from renderers.charts.graph import graph_image
from renderers.charts.number_line import draw_number_line
from renderers.charts.titled import titled
from renderers.drawing import palette, shapes
from renderers.drawing.cell_appearance import short_number
from renderers.drawing.shapes import Image, fill
from renderers.drawing.stroke_font import line_height, text_width, write, write_centred

POINTER = "↑"
MOST_LINES = 3
WIDEST_IN_CAPITALS = 70
SHORTEST_FULL_BAR, STRIP_IN_CAPITALS = 8, 30


def least_width(charts: Sequence[Chart], size: float) -> int:
    """The pixels that bars take with their labels and numbers where the longest is a few letters long, strips some."""
    words = [
        text_width(bar.label, size) + text_width(bar.text or short_number(bar.number), size)
        for chart in charts
        if isinstance(chart, Bars)
        for bar in chart.bars
    ]
    bars = round(max(words) + SHORTEST_FULL_BAR * size) if words else 0
    strips = [_pitch(chart, size) * len(chart.ticks) for chart in charts if isinstance(chart, Strip)]
    return max(bars, min(max(strips, default=0), round(STRIP_IN_CAPITALS * size)))


def draw_charts(charts: Sequence[Chart], width: int, size: float) -> list[Image]:
    """The images of charts below one another; steps of strips of equal length are equally wide, to be compared."""
    pitches: dict[int, int] = {}
    for chart in charts:
        if isinstance(chart, Strip):
            pitches[len(chart.ticks)] = max(pitches.get(len(chart.ticks), 0), _pitch(chart, size))
    return [
        _strip(chart, width, size, pitches[len(chart.ticks)]) if isinstance(chart, Strip)
        else _bars(chart, width, size) if isinstance(chart, Bars)
        else draw_number_line(chart, width, size) if isinstance(chart, NumberLine)
        else graph_image(chart, width, size)
        for chart in charts
    ]  # fmt: skip


def _bars(chart: Bars, width: int, size: float) -> Image:
    pitch = round(line_height(size) * 1.15)
    width = min(width, round(size * WIDEST_IN_CAPITALS))
    image, top = titled(chart.name, pitch * len(chart.bars), width, size)
    texts = [bar.text or short_number(bar.number) for bar in chart.bars]
    left = max((text_width(bar.label, size) for bar in chart.bars), default=0) + round(size)
    right = max((text_width(text, size) for text in texts), default=0) + round(size)
    limit = chart.limit or max((abs(bar.number) for bar in chart.bars), default=0.0) or 1.0
    room = max(10, width - left - right)
    signs = {bar.number < 0 for bar in chart.bars if bar.number} or {False}
    zero, full = left + (room / len(signs) if True in signs else 0), room / len(signs)
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
            _break(image[row : row + pitch], zero + side * full * 0.8, pitch)
        write(image, text, left + room + size * 0.6, row, size)
    return image


def _break(target: Image, x: float, pitch: int) -> None:
    """Two slanted cuts through a bar that is longer than it is drawn."""
    for shift in (-0.18, 0.18):
        ends = [(x + (shift - 0.12) * pitch, pitch * 0.9), (x + (shift + 0.12) * pitch, pitch * 0.1)]
        fill(target, shapes.polyline(target.shape[0], target.shape[1], ends, max(1.5, pitch * 0.1)), palette.PAPER)


def _pitch(chart: Strip, size: float) -> int:
    """How wide a step of a strip must be."""
    return round(max(size * 2.2, max((text_width(tick.text, size) for tick in chart.ticks), default=0) + size * 0.8))


def _strip(chart: Strip, width: int, size: float, pitch: int) -> Image:
    """Steps as chips in a few lines; of a long strip the lines around `now`, or the last ones."""
    fitting = max(1, width // pitch)
    focus = len(chart.ticks) - 1 if chart.now is None else chart.now
    lines = [chart.ticks[i : i + fitting] for i in range(0, len(chart.ticks), fitting)]
    first = max(0, min(focus // fitting - MOST_LINES // 2, len(lines) - MOST_LINES))
    lines = lines[first : first + MOST_LINES]
    tall = round(size * 2.2)
    below = line_height(size * 0.8) if chart.now is not None else 2
    image, top = titled(chart.name, (tall + below) * len(lines), width, size)
    for row, line in enumerate(lines):
        for column, tick in enumerate(line):
            y, x = top + row * (tall + below), column * pitch
            _chip(image[y : y + tall, x : x + pitch], tick, size)
            if (first + row) * fitting + column == chart.now:
                write_centred(image, POINTER, (x + pitch / 2, y + tall + size * 0.6), size * 0.9, palette.INK)
    return image


def _chip(target: Image, tick: Tick, size: float) -> None:
    tall, pitch = target.shape[:2]
    shade = palette.FLOOR if tick.role == "plain" else palette.colour(tick.role)
    fill(target, shapes.box(tall, pitch, (pitch / 2, tall / 2), (pitch / 2 - 1, tall / 2 - 1), size * 0.3), shade)
    write_centred(target, tick.text, (pitch / 2, tall / 2), size, palette.readable_colour(shade))
