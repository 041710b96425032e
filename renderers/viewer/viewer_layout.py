"""The viewer's picture: the scene as large as fits, words at its right, slider and time line below; numpy alone.

Type, panel and time line grow with the window, so that a projector shows them as large as a small window does.
"""

from __future__ import annotations

from dataclasses import replace

from engine.scene import NumberLine
from renderers.charts.number_line import draw_number_line, number_at
from renderers.drawing import palette, shapes
from renderers.drawing.layout import GridArea
from renderers.drawing.shapes import Image, blank, fill, paste
from renderers.viewer.fitting import LARGEST_TYPE, Fitting
from renderers.viewer.panel import Panel, PlacedButton
from renderers.viewer.player import Player
from renderers.viewer.timeline import Timeline
from renderers.viewer.viewable import Readings

MIN_WIDTH, MIN_HEIGHT = 480, 320
SMALLEST_TYPE, LEAST_PANEL = 7.5, 190
SMALL_WINDOW = 420  # pixels high: below, of the viewer's own buttons only that of all keys has room
WIDTH_IN_CAPITALS, HEIGHT_IN_CAPITALS, PANEL_IN_CAPITALS = 91, 61, 31
TIMELINE, SLIDER, BOARD = "time line", "slider", "board"


class ViewerLayout:
    """Draws what a player shows into frames of one size, and finds what a click on a pixel means.

    type_size: pixels a capital of the panel. panel_width, timeline_height: pixels.
    """

    def __init__(self, width: int = 960, height: int = 640) -> None:
        self._areas: tuple[GridArea, ...] = ()
        self._buttons: list[PlacedButton] = []
        self._slider: NumberLine | None = None
        self._held = ""
        self._fitted: tuple[int, int, float] | None = None
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """Set the size in pixels, at least MIN_WIDTH x MIN_HEIGHT."""
        self.width, self.height = max(MIN_WIDTH, width), max(MIN_HEIGHT, height)
        self.type_size = max(SMALLEST_TYPE, min(self.width / WIDTH_IN_CAPITALS, self.height / HEIGHT_IN_CAPITALS))
        self.panel_width = max(LEAST_PANEL, min(self.width // 3, round(PANEL_IN_CAPITALS * self.type_size)))
        self.timeline_height = round(3.25 * self.type_size)
        self._timeline = Timeline(self.width - self.panel_width, self.timeline_height, self.type_size)
        self._panel = Panel(self.type_size)
        self._fit(0)

    def draw(self, player: Player) -> Image:
        """uint8[height, width, 3]: the frame of a window, with all that the pointer can take hold of."""
        speed = ("speed", f"{player.speed:g} a second{'' if player.playing else ', paused'}")
        position = ("scene", f"{player.position + 1} of {len(player.viewable)}")
        frame, scene_readings = self._board(player)
        if player.help:
            return frame
        strip = frame[self.height - self.timeline_height :, : self._timeline.width]
        self._timeline.draw(strip, player.position, len(player.viewable), player.playing)
        panel, title = frame[:, self._timeline.width :], player.viewable.title
        readings = (position, *scene_readings, speed)
        buttons = player.buttons if self.height >= SMALL_WINDOW else [*player.viewable.buttons, player.buttons[-1]]
        self._buttons = self._panel.draw(panel, title, readings, player.message, buttons)
        return frame

    def recorded(self, player: Player) -> Image:
        """uint8[height, width, 3]: the same without what belongs to a window alone: buttons, time line, speed."""
        frame, readings = self._board(player)
        if not player.help:
            panel = frame[:, self._timeline.width :]
            self._panel.draw(panel, player.viewable.title, readings, player.message, ())
        return frame

    def click(self, player: Player, x: int, y: int) -> bool:
        """What a mouse click does: a button, a place on time line or slider, or what a click on that cell means.

        Returns whether something was taken hold of that goes on with `drag` while the button is down.
        """
        self._held = ""
        if self._over_panel(x):
            inside = x - self._timeline.width
            for placed in self._buttons:
                if placed.left <= inside < placed.right and placed.top <= y < placed.bottom:
                    player.press(placed.button.key)
        elif y >= self.height - self.timeline_height:
            if self._timeline.is_button(x):
                player.execute("play")
            else:
                self._held = TIMELINE
        elif y >= self._board_height and self._slider is not None:
            self._held = SLIDER
        elif (hit := self._hit(x, y)) is not None:
            player.click(*hit)
            self._held = BOARD if player.viewable.painting else ""
            return bool(self._held)
        else:
            player.select(None)
        if self._held:
            self.drag(player, x, y)
        return bool(self._held)

    def drag(self, player: Player, x: int, y: int) -> None:
        """The pointer is held down and at a pixel: show the scene or the number that lies there, or paint the cell."""
        if self._held == TIMELINE:
            player.go(self._timeline.scene(x, len(player.viewable)))
        elif self._held == SLIDER and self._slider is not None:
            line_width = self._timeline.width - 4 * self.type_size
            player.slide(number_at(self._slider, (x - 2 * self.type_size) / line_width))
        elif self._held == BOARD and (hit := self._hit(x, y)) is not None:
            player.paint(*hit)

    def wheel(self, player: Player, x: int, steps: int) -> None:
        """The mouse wheel: over the panel it moves words that have no room; elsewhere so many scenes on or back."""
        if self._over_panel(x) and self._panel.hidden_rows:
            self._panel.first_row = min(max(0, self._panel.first_row + steps), self._panel.hidden_rows)
        else:
            player.go(player.position + steps)

    def _board(self, player: Player) -> tuple[Image, Readings]:
        """A frame with the scene and the slider, and the scene's readings; or all keys."""
        frame = blank(self.height, self.width, palette.PAPER)
        self._areas, self._buttons = (), []
        if player.help:
            rows = tuple((key, description) for key, (_, description) in player.keys.items())
            self._panel.keys(frame, player.viewable.title, rows)
            return frame, ()
        self._slider = player.viewable.slider
        scene, line = player.scene(), None
        if self._slider is not None:
            line = draw_number_line(self._slider, round(self._timeline.width - 2 * self.type_size), self.type_size)
        self._fit(0 if line is None else line.shape[0] + round(self.type_size))
        block, (top, left) = self._fitting.block(replace(scene, readings=()))
        block.draw_on(frame[: self._board_height, : self._timeline.width], top, left)
        self._areas = tuple(area._replace(top=area.top + top, left=area.left + left) for area in block.areas)
        self._outline_cell(frame, player)
        if line is not None:
            paste(frame, line, self._board_height, round(self.type_size))
        return frame, scene.readings

    def _fit(self, slider_height: int) -> None:
        """Give the scene the room above slider and time line."""
        height = self.height - self.timeline_height - slider_height
        fitting = self._timeline.width, height, max(LARGEST_TYPE, 1.25 * self.type_size)
        if self._fitted != fitting:
            self._board_height, self._fitted, self._fitting = height, fitting, Fitting(*fitting)

    def _hit(self, x: int, y: int) -> tuple[tuple[int, ...], tuple[int, int]] | None:
        """The panel and the cell under a pixel."""
        hits = ((area.panel, cell) for area in self._areas if (cell := area.cell(x, y)) is not None)
        return next(hits, None)

    def _over_panel(self, x: int) -> bool:
        return x >= self._timeline.width

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
