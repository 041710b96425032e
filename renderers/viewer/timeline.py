"""The time line below the board: a button that plays, and a knob to drag through the scenes."""

from __future__ import annotations

from typing import NamedTuple

from renderers.drawing import palette, shapes
from renderers.drawing.shapes import Image, around, fill


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
        size, y = self.size, self.height / 2
        now = self.start + position / max(1, scenes - 1) * self.length
        for end, shade in ((self.start + self.length, palette.FLOOR_LINE), (now, palette.colour("agent"))):
            part, line = around(strip, [(self.start, y), (end, y)], size)
            fill(part, shapes.polyline(part.shape[0], part.shape[1], line, size * 0.4), shade)
        part, (centre,) = around(strip, [(now, y)], size)
        fill(part, shapes.disc(part.shape[0], part.shape[1], centre, size * 0.68), palette.colour("agent"))
        self._button(strip, playing)

    def _button(self, strip: Image, playing: bool) -> None:
        """Two bars while playing, a triangle otherwise."""
        size, x, y = self.size, 1.9 * self.size, self.height / 2
        if playing:
            for side in (-1, 1):
                part, (centre,) = around(strip, [(x + side * 0.4 * size, y)], size)
                fill(part, shapes.box(part.shape[0], part.shape[1], centre, (0.2 * size, 0.7 * size)), palette.INK)
        else:
            corners = [(x - 0.55 * size, y - 0.75 * size), (x + 0.75 * size, y), (x - 0.55 * size, y + 0.75 * size)]
            part, placed = around(strip, corners, 1.0)
            fill(part, shapes.polygon(part.shape[0], part.shape[1], placed), palette.INK)
