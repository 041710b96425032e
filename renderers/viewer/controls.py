"""What stands round the viewer's board: words and buttons at the right, the time line below, the page of keys.

The panel shows title, readings and buttons, in type of any size. The time line has a button that plays, and a knob
to drag through the scenes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, around, blank, cover, fill
from renderers.drawing.stroke_font import line_height, shorten, text_width, wrap, write
from renderers.viewer.viewable import Button, Readings

BUTTON_COLOUR = (226, 232, 240)
RIM = (150, 160, 176)
MORE = "…"


class PlacedButton(NamedTuple):
    """A button and the pixels that it takes: left and top inclusive, right and bottom not."""

    button: Button
    left: int
    top: int
    right: int
    bottom: int


@lru_cache(maxsize=256)
def _draw_button_image(label: str, high: int, wide: int, size: float, available: bool) -> Image:
    """A button with its label, pale where it is not available."""
    image = blank(high, wide, palette.PANEL)
    body = shapes.box(high, wide, (wide / 2, high / 2), (wide / 2, high / 2), size * 0.4)
    fill(image, body, RIM if available else palette.FLOOR_LINE)
    fill(image, body + 1.2, BUTTON_COLOUR if available else palette.PANEL)
    ink = palette.INK if available else palette.PALE_INK
    write(image, label, size * 0.6, (high - line_height(size * 0.9)) / 2, size * 0.9, ink)
    return image


class Panel:
    """Draws into an image of any size.

    size: pixels a capital. first_row: the reading that the list begins with, where it is longer than the panel.
    """

    def __init__(self, size: float) -> None:
        self.size = size
        self.first_row = 0
        self.hidden_rows = 0

    def draw(
        self, image: Image, title: str, readings: Readings, message: str, buttons: Sequence[Button]
    ) -> list[PlacedButton]:
        """Title at the top, the message and the buttons at the bottom, between them the readings that have room."""
        cover(image, palette.PANEL)
        size = self.size
        margin = round(self.size * 1.5)
        room = image.shape[1] - 2 * margin
        y = round(size * 1.3)
        for line in wrap(title, room, size * 1.2)[:3]:
            write(image, line, margin, y, size * 1.2, bold=True)
            y += line_height(size * 1.2)
        bottom = image.shape[0] - round(size * 0.8)
        placed, bottom = self._buttons(image, buttons, margin, bottom)
        lines = wrap(message, room, size) if message else []
        bottom -= line_height(size) * len(lines) + (round(size * 0.5) if lines else 0)
        for i, line in enumerate(lines):
            write(image, line, margin, bottom + i * line_height(size), size, palette.colour("goal"), bold=True)
        self._readings(image[: max(0, bottom)], y + round(size * 0.75), readings, margin)
        return placed

    def keys(self, image: Image, title: str, rows: Readings) -> None:
        """All keys over the whole image, in as many columns as they need."""
        cover(image, palette.PANEL)
        size = self.size
        margin = round(self.size * 1.5)
        write(image, shorten(title, image.shape[1] - 2 * margin, size * 1.2), margin, margin, size * 1.2, bold=True)
        top = margin + round(line_height(size * 1.2) * 1.3)
        pitch = line_height(size) + 3
        fitting = max(1, (image.shape[0] - top - margin) // pitch)
        columns = -(-len(rows) // fitting)
        width = (image.shape[1] - 2 * margin) // max(1, columns)
        left = max((text_width(key, size) for key, _ in rows), default=0) + round(size * 1.2)
        for i, (key, text) in enumerate(rows):
            x, y = margin + i // fitting * width, top + i % fitting * pitch
            write(image, key, x, y, size, bold=True)
            write(image, shorten(text, width - left - margin // 2, size), x + left, y, size, palette.INK)

    def _buttons(
        self, image: Image, buttons: Sequence[Button], margin: int, bottom: int
    ) -> tuple[list[PlacedButton], int]:
        """Buttons in lines from the left, the last line ending at `bottom`; where the first one begins."""
        size = self.size
        room = image.shape[1] - 2 * margin
        high = round(self.size * 2.1)
        gap = round(self.size * 0.4)
        lines = list[tuple[Button, str, int, int, int]]()
        x = 0
        line = 0
        for button in buttons:
            label = shorten(f"{button.key}  {button.text}", room - round(size * 1.2), size * 0.9)
            wide = text_width(label, size * 0.9) + round(size * 1.2)
            if x and x + wide > room:
                x, line = 0, line + 1
            lines.append((button, label, x, line, wide))
            x += wide + gap
        top = bottom - (line + 1) * (high + gap) if lines else bottom
        placed = []
        for button, label, x, line, wide in lines:
            left, up = margin + x, top + line * (high + gap)
            target = image[max(0, up) : max(0, up + high), left : left + wide]
            if target.shape[0] < high:
                continue
            target[:] = _draw_button_image(label, high, wide, size, button.available)
            placed.append(PlacedButton(button, left, up, left + wide, up + high))
        return placed, top

    def _readings(self, image: Image, y: int, rows: Readings, margin: int) -> None:
        """Label and text in two columns, both wrapped; what has no room is left out from `first_row` on."""
        size = self.size
        room = image.shape[1] - 2 * margin
        step = line_height(self.size)
        gap = max(2, round(self.size * 0.3))
        column = min(
            max((text_width(label, size) for label, _ in rows), default=0) + round(size * 1.1), round(room * 0.53)
        )
        wrapped = [
            (wrap(label, column - round(size * 0.8), size), wrap(text, room - column, size)) for label, text in rows
        ]
        high = [max(len(label), len(text)) * step + gap for label, text in wrapped]
        space = image.shape[0] - y
        last = len(rows)
        if sum(high) > space:
            space -= step
            while last > 0 and sum(high[last - 1 :]) <= space:
                last -= 1
        self.hidden_rows = last if sum(high) > space else 0
        self.first_row = min(self.first_row, self.hidden_rows)
        for (label, text), tall in zip(wrapped[self.first_row :], high[self.first_row :], strict=True):
            fitting = max(0, space // step)
            for lines, x, ink, bold in (
                (label, margin, palette.PALE_INK, False),
                (text, margin + column, palette.INK, True),
            ):
                for j, line in enumerate(lines[:fitting]):
                    write(image, line, x, y + j * step, size, ink, bold)
            if tall > space:
                write(image, MORE, margin, y + fitting * step, size, palette.PALE_INK, bold=True)
                return
            space -= tall
            y += tall


class Timeline(NamedTuple):
    """The place of the time line in pixels; size: pixels a capital."""

    width: int
    height: int
    size: float

    @property
    def start(self) -> int:
        """Where the line begins, right of the button."""
        return round(4.2 * self.size)

    @property
    def length(self) -> int:
        """Of the line."""
        return max(1, self.width - self.start - round(1.6 * self.size))

    def is_button(self, x: int) -> bool:
        """Whether a column of pixels is that of the button."""
        return x < self.start - self.size

    def scene(self, x: int, scenes: int) -> int:
        """The number of the scene that lies at a column of pixels."""
        return round((x - self.start) / self.length * (scenes - 1))

    def draw(self, strip: Image, position: int, scenes: int, playing: bool) -> None:
        """The line, the part that is over, the knob and the button."""
        size = self.size
        y = self.height / 2
        now = self.start + position / max(1, scenes - 1) * self.length
        for end, shade in ((self.start + self.length, palette.FLOOR_LINE), (now, palette.colour("agent"))):
            part, line = around(strip, [(self.start, y), (end, y)], size)
            fill(part, shapes.polyline(part.shape[0], part.shape[1], line, size * 0.4), shade)
        part, (centre,) = around(strip, [(now, y)], size)
        fill(part, shapes.disc(part.shape[0], part.shape[1], centre, size * 0.68), palette.colour("agent"))
        self._button(strip, playing)

    def _button(self, strip: Image, playing: bool) -> None:
        """Two bars while playing, a triangle otherwise."""
        size = self.size
        x = 1.9 * self.size
        y = self.height / 2
        if playing:
            for side in (-1, 1):
                part, (centre,) = around(strip, [(x + side * 0.4 * size, y)], size)
                fill(part, shapes.box(part.shape[0], part.shape[1], centre, (0.2 * size, 0.7 * size)), palette.INK)
        else:
            corners = [(x - 0.55 * size, y - 0.75 * size), (x + 0.75 * size, y), (x - 0.55 * size, y + 0.75 * size)]
            part, placed = around(strip, corners, 1.0)
            fill(part, shapes.polygon(part.shape[0], part.shape[1], placed), palette.INK)
