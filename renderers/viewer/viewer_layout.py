"""The viewer's picture: the scene as large as fits, a panel of words at its right, a time line below; numpy alone.

Type, panel and time line grow with the window, so that a projector shows them as large as a small window does.
"""

from __future__ import annotations

from dataclasses import replace

from renderers.drawing import palette, shapes
from renderers.drawing.layout import GridArea
from renderers.drawing.shapes import Image, around, blank, fill, paste
from renderers.viewer.fitting import LARGEST_TYPE, Fitting
from renderers.viewer.panel import Panel, PlacedButton
from renderers.viewer.player import Player

MIN_WIDTH, MIN_HEIGHT = 480, 320
SMALLEST_TYPE, LEAST_PANEL = 7.5, 190
WIDTH_IN_CAPITALS, HEIGHT_IN_CAPITALS, PANEL_IN_CAPITALS = 91, 61, 31


class ViewerLayout:
    """Draws what a player shows into frames of one size, and finds what a click on a pixel means.

    type_size: pixels a capital of the panel. panel_width, timeline_height: pixels.
    """

    def __init__(self, width: int = 960, height: int = 640) -> None:
        self._areas: tuple[GridArea, ...] = ()
        self._buttons: list[PlacedButton] = []
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """Set the size in pixels, at least MIN_WIDTH x MIN_HEIGHT."""
        self.width, self.height = max(MIN_WIDTH, width), max(MIN_HEIGHT, height)
        self.type_size = max(SMALLEST_TYPE, min(self.width / WIDTH_IN_CAPITALS, self.height / HEIGHT_IN_CAPITALS))
        self.panel_width = max(LEAST_PANEL, min(self.width // 3, round(PANEL_IN_CAPITALS * self.type_size)))
        self.timeline_height = round(3.25 * self.type_size)
        board = self.width - self.panel_width, self.height - self.timeline_height
        self._fitting = Fitting(*board, max(LARGEST_TYPE, 1.25 * self.type_size))
        self._panel = Panel(self.type_size)

    def draw(self, player: Player) -> Image:
        """uint8[height, width, 3]."""
        frame = blank(self.height, self.width, palette.PAPER)
        if player.help:
            self._areas, self._buttons = (), []
            rows = tuple((key, description) for key, (_, description) in player.keys.items())
            self._panel.keys(frame, player.viewable.title, rows)
            return frame
        scene = player.scene()
        block, (top, left) = self._fitting.block(replace(scene, readings=()))
        paste(frame[: self.height - self.timeline_height, : self.width - self.panel_width], block.image, top, left)
        self._areas = tuple(area._replace(top=area.top + top, left=area.left + left) for area in block.areas)
        self._outline_cell(frame, player)
        self._draw_timeline(frame, player)
        readings = (("scene", f"{player.position + 1} of {len(player.viewable)}"), *scene.readings)
        panel = frame[:, self.width - self.panel_width :]
        self._buttons = self._panel.draw(
            panel, player.viewable.title, readings, player.message, player.viewable.buttons
        )
        return frame

    def click(self, player: Player, x: int, y: int) -> bool:
        """What a mouse click does: a button, a jump on the time line, or what a click on that cell means.

        Returns whether the time line was hit, so that the pointer may be dragged along it.
        """
        if self._over_panel(x):
            inside = x - (self.width - self.panel_width)
            for placed in self._buttons:
                if placed.left <= inside < placed.right and placed.top <= y < placed.bottom:
                    player.press(placed.button.key)
            return False
        if y >= self.height - self.timeline_height:
            start, _ = self._timeline()
            if x < start - self.type_size:
                player.execute("play")
                return False
            self.drag(player, x)
            return True
        hit = [(area.panel, cell) for area in self._areas if (cell := area.cell(x, y)) is not None]
        if hit:
            player.click(*hit[0])
        else:
            player.select(None)
        return False

    def drag(self, player: Player, x: int) -> None:
        """The pointer is held on the time line at a column of pixels: show the scene that lies there."""
        start, length = self._timeline()
        player.go(round((x - start) / length * (len(player.viewable) - 1)))

    def wheel(self, player: Player, x: int, steps: int) -> None:
        """The mouse wheel: over the panel it moves words that have no room; elsewhere so many scenes on or back."""
        if self._over_panel(x) and self._panel.hidden_rows:
            self._panel.first_row = min(max(0, self._panel.first_row + steps), self._panel.hidden_rows)
        else:
            player.go(player.position + steps)

    def _over_panel(self, x: int) -> bool:
        return x >= self.width - self.panel_width

    def _outline_cell(self, frame: Image, player: Player) -> None:
        if player.cell is None or not self._areas:
            return
        area, (row, column) = self._areas[0], player.cell
        if row < area.rows and column < area.columns:
            top, left = area.top + row * area.tile, area.left + column * area.tile
            target = frame[top : top + area.tile, left : left + area.tile]
            high, wide = target.shape[:2]
            edge = shapes.box(high, wide, (area.tile / 2, area.tile / 2), (area.tile / 2, area.tile / 2), 3)
            fill(target, shapes.outline(edge, max(2, area.tile * 0.06)), palette.CROSS)

    def _timeline(self) -> tuple[int, int]:
        """Where the time line starts, at the right of the button that plays, and how long it is, in pixels."""
        start = round(4.2 * self.type_size)
        return start, max(1, self.width - self.panel_width - start - round(1.6 * self.type_size))

    def _draw_timeline(self, frame: Image, player: Player) -> None:
        strip = frame[self.height - self.timeline_height :, : self.width - self.panel_width]
        size, (start, length), y = self.type_size, self._timeline(), self.timeline_height / 2
        now = start + player.position / max(1, len(player.viewable) - 1) * length
        for end, shade in ((start + length, palette.FLOOR_LINE), (now, palette.colour("agent"))):
            part, line = around(strip, [(start, y), (end, y)], size)
            fill(part, shapes.polyline(part.shape[0], part.shape[1], line, size * 0.4), shade)
        part, (centre,) = around(strip, [(now, y)], size)
        fill(part, shapes.disc(part.shape[0], part.shape[1], centre, size * 0.68), palette.colour("agent"))
        self._draw_play_button(strip, player.playing)

    def _draw_play_button(self, strip: Image, playing: bool) -> None:
        """Two bars while playing, a triangle otherwise."""
        size, x, y = self.type_size, 1.9 * self.type_size, self.timeline_height / 2
        if playing:
            for side in (-1, 1):
                part, (centre,) = around(strip, [(x + side * 0.4 * size, y)], size)
                fill(part, shapes.box(part.shape[0], part.shape[1], centre, (0.2 * size, 0.7 * size)), palette.INK)
        else:
            corners = [(x - 0.55 * size, y - 0.75 * size), (x + 0.75 * size, y), (x - 0.55 * size, y + 0.75 * size)]
            part, placed = around(strip, corners, 1.0)
            fill(part, shapes.polygon(part.shape[0], part.shape[1], placed), palette.INK)
