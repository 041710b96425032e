"""The viewer's picture: the scene as large as fits, a panel of text at its right, a time line below; numpy alone."""

from __future__ import annotations

from dataclasses import replace

from engine.scene import Scene
from renderers.drawing import palette, shapes
from renderers.drawing.layout import Block, GridArea
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Image, blank, fill, paste
from renderers.drawing.stroke_font import line_height, text_width, wrap, write
from renderers.viewer.player import Player

PANEL_WIDTH, TIMELINE_HEIGHT, FONT_SIZE = 320, 34, 10.5
TILES = (128, 112, 96, 80, 72, 64, 56, 48, 40, 36, 32, 28, 24, 20, 16, 12, 8, 6, 4)
MIN_WIDTH, MIN_HEIGHT = 480, 320
PANEL_COLOUR = (246, 244, 239)


class ViewerLayout:
    """Draws what a player shows into frames of one size, and finds what a click on a pixel means."""

    def __init__(self, width: int = 960, height: int = 640) -> None:
        self._painter, self._corner = Painter(TILES[0]), (0, 0)
        self._shape: tuple[object, ...] = ()
        self._areas: tuple[GridArea, ...] = ()
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """Set the size in pixels, at least MIN_WIDTH x MIN_HEIGHT."""
        self.width, self.height = max(MIN_WIDTH, width), max(MIN_HEIGHT, height)
        self._shape = ()

    def draw(self, player: Player) -> Image:
        """uint8[height, width, 3]."""
        scene = player.scene()
        frame = blank(self.height, self.width, palette.PAPER)
        block = self._fit(replace(scene, readings=()))
        top, left = self._corner
        paste(frame[: self.height - TIMELINE_HEIGHT, : self.width - PANEL_WIDTH], block.image, top, left)
        self._areas = tuple(area._replace(top=area.top + top, left=area.left + left) for area in block.areas)
        self._outline_cell(frame, player)
        self._draw_timeline(frame, player)
        self._draw_panel(frame[:, self.width - PANEL_WIDTH :], player, scene)
        return frame

    def click(self, player: Player, x: int, y: int) -> None:
        """What a mouse click does: jump on the time line, or what a click on that cell means."""
        if y >= self.height - TIMELINE_HEIGHT and x < self.width - PANEL_WIDTH:
            start, length = self._timeline()
            player.go(round((x - start) / length * (len(player.viewable) - 1)))
            return
        hit = [(area.panel, cell) for area in self._areas if (cell := area.cell(x, y)) is not None]
        if hit:
            player.click(*hit[0])
        else:
            player.select(None)

    def _fit(self, scene: Scene) -> Block:
        """The scene's block at the largest tile that fits; the size is kept until the scene's shape changes."""
        shape = _shape(scene)
        if shape == self._shape:
            return self._painter.block(scene)
        width, height = self.width - PANEL_WIDTH, self.height - TIMELINE_HEIGHT
        for tile in TILES:
            self._painter = Painter(tile)
            block = self._painter.block(scene)
            if block.width <= width and block.height <= height:
                break
        self._shape = shape
        self._corner = max(0, (height - block.height) // 2), max(0, (width - block.width) // 2)
        return block

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
        """Where the time line starts and how long it is, in pixels."""
        return 16, max(1, self.width - PANEL_WIDTH - 32)

    def _draw_timeline(self, frame: Image, player: Player) -> None:
        strip = frame[self.height - TIMELINE_HEIGHT :, : self.width - PANEL_WIDTH]
        high, wide = strip.shape[:2]
        (start, length), y = self._timeline(), high / 2
        share = player.position / max(1, len(player.viewable) - 1)
        fill(strip, shapes.polyline(high, wide, [(start, y), (start + length, y)], 4), palette.FLOOR_LINE)
        fill(strip, shapes.polyline(high, wide, [(start, y), (start + share * length, y)], 4), palette.colour("agent"))
        fill(strip, shapes.disc(high, wide, (start + share * length, y), 7), palette.colour("agent"))

    def _draw_panel(self, panel: Image, player: Player, scene: Scene) -> None:
        panel[:] = PANEL_COLOUR
        room, x, y = PANEL_WIDTH - 32, 16, 14
        for line in wrap(player.viewable.title, room, 12.5, bold=True)[:3]:
            write(panel, line, x, y, 12.5, bold=True)
            y += line_height(12.5)
        y += 8
        if player.help:
            self._write_rows(panel, y, [(key, description) for key, (_, description) in player.keys.items()])
            return
        position = ("scene", f"{player.position + 1} of {len(player.viewable)}")
        y = self._write_rows(panel, y, [position, *scene.readings])
        if player.message:
            for line in wrap(player.message, room, FONT_SIZE):
                write(panel, line, x, y + 6, FONT_SIZE, palette.colour("goal"), bold=True)
                y += line_height(FONT_SIZE)
        hint = "h: keys"
        write(panel, hint, PANEL_WIDTH - 16 - text_width(hint, 9), self.height - 26, 9, palette.PALE_INK)

    def _write_rows(self, panel: Image, y: int, rows: list[tuple[str, str]]) -> int:
        """Label and text in two columns, both wrapped; returns where the next line begins."""
        room = PANEL_WIDTH - 32
        column = min(max((text_width(label, FONT_SIZE) for label, _ in rows), default=0) + 12, round(room * 0.53))
        for label, text in rows:
            lines = wrap(label, column - 8, FONT_SIZE), wrap(text, room - column, FONT_SIZE, bold=True)
            for i, line in enumerate(lines[0]):
                write(panel, line, 16, y + i * line_height(FONT_SIZE), FONT_SIZE, palette.PALE_INK)
            for i, line in enumerate(lines[1]):
                write(panel, line, 16 + column, y + i * line_height(FONT_SIZE), FONT_SIZE, bold=True)
            y += max(map(len, lines)) * line_height(FONT_SIZE) + 3
        return y


def _shape(scene: Scene) -> tuple[object, ...]:
    """What determines the size of a scene, apart from the length of its texts."""
    floor = (len(scene.floor), len(scene.floor[0]) if scene.floor else 0)
    overlays = tuple((type(overlay), overlay.name) for overlay in scene.overlays)
    charts = tuple((type(chart), chart.name) for chart in scene.charts)
    frame = None if scene.frame is None else (scene.frame.height, scene.frame.width)
    return (floor, frame, overlays, charts, scene.columns, *(_shape(panel) for panel in scene.panels))
