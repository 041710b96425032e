"""The viewer's picture: the scene as large as fits, a panel of words at its right, a time line below; numpy alone."""

from __future__ import annotations

from dataclasses import replace

from engine.scene import Scene
from renderers.drawing import palette, shapes
from renderers.drawing.layout import Block, Spot
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Image, blank, fill, paste
from renderers.drawing.stroke_font import line_height, text_width, wrap, write
from renderers.viewer.player import Player

PANEL, TIME_LINE, LETTERS = 320, 34, 10.5
TILES = (128, 112, 96, 80, 72, 64, 56, 48, 40, 36, 32, 28, 24, 20, 16, 12, 8, 6, 4)
LEAST_WIDTH, LEAST_HEIGHT = 480, 320
CARD = (246, 244, 239)


class Stage:
    """Draws what a player shows into frames of one size, and says what lies under a pixel."""

    def __init__(self, width: int = 960, height: int = 640) -> None:
        self._painter, self._corner = Painter(TILES[0]), (0, 0)
        self._layout: tuple[object, ...] = ()
        self._spots: tuple[Spot, ...] = ()
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """A new size in pixels; smaller than the least size it does not get."""
        self.width, self.height = max(LEAST_WIDTH, width), max(LEAST_HEIGHT, height)
        self._layout = ()

    def draw(self, player: Player) -> Image:
        """uint8[height, width, 3]."""
        scene = player.scene()
        frame = blank(self.height, self.width, palette.PAPER)
        block = self._fit(replace(scene, readings=()) if not scene.panels else scene)
        top, left = self._corner
        paste(frame[: self.height - TIME_LINE, : self.width - PANEL], block.image, top, left)
        self._spots = tuple(spot._replace(top=spot.top + top, left=spot.left + left) for spot in block.spots)
        self._outline_cell(frame, player)
        self._draw_time_line(frame, player)
        self._draw_panel(frame[:, self.width - PANEL :], player, scene)
        return frame

    def click(self, player: Player, x: int, y: int) -> None:
        """What a mouse click does: jump on the time line, look closely at a cell."""
        if y >= self.height - TIME_LINE and x < self.width - PANEL:
            start, length = self._rail()
            player.go(round((x - start) / length * (len(player.show) - 1)))
            return
        cells = [cell for spot in self._spots if (cell := spot.cell(x, y)) is not None]
        player.select(cells[0] if cells else None)

    def _fit(self, scene: Scene) -> Block:
        """The scene's block at the largest tile that fits; the choice is kept until the layout changes."""
        layout = _layout(scene)
        if layout == self._layout:
            return self._painter.block(scene)
        width, height = self.width - PANEL, self.height - TIME_LINE
        for tile in TILES:
            self._painter = Painter(tile)
            block = self._painter.block(scene)
            if block.width <= width and block.height <= height:
                break
        self._layout = layout
        self._corner = max(0, (height - block.height) // 2), max(0, (width - block.width) // 2)
        return block

    def _outline_cell(self, frame: Image, player: Player) -> None:
        if player.cell is None or not self._spots:
            return
        spot, (row, column) = self._spots[0], player.cell
        if row < spot.rows and column < spot.columns:
            top, left = spot.top + row * spot.tile, spot.left + column * spot.tile
            target = frame[top : top + spot.tile, left : left + spot.tile]
            high, wide = target.shape[:2]
            edge = shapes.box(high, wide, (spot.tile / 2, spot.tile / 2), (spot.tile / 2, spot.tile / 2), 3)
            fill(target, shapes.outline(edge, max(2, spot.tile * 0.06)), palette.CROSS)

    def _rail(self) -> tuple[int, int]:
        """Where the time line starts and how long it is, in pixels."""
        return 16, max(1, self.width - PANEL - 32)

    def _draw_time_line(self, frame: Image, player: Player) -> None:
        strip = frame[self.height - TIME_LINE :, : self.width - PANEL]
        high, wide = strip.shape[:2]
        (start, length), y = self._rail(), high / 2
        share = player.position / max(1, len(player.show) - 1)
        fill(strip, shapes.polyline(high, wide, [(start, y), (start + length, y)], 4), palette.FLOOR_LINE)
        fill(strip, shapes.polyline(high, wide, [(start, y), (start + share * length, y)], 4), palette.colour("agent"))
        fill(strip, shapes.disc(high, wide, (start + share * length, y), 7), palette.colour("agent"))

    def _draw_panel(self, panel: Image, player: Player, scene: Scene) -> None:
        panel[:] = CARD
        room, x, y = PANEL - 32, 16, 14
        for line in wrap(player.show.title, room, 12.5, bold=True)[:3]:
            write(panel, line, x, y, 12.5, bold=True)
            y += line_height(12.5)
        y += 8
        if player.help:
            self._write_rows(panel, y, [(key, said) for key, (_, said) in player.keys.items()])
            return
        position = ("scene", f"{player.position + 1} of {len(player.show)}")
        y = self._write_rows(panel, y, [position, *scene.readings])
        if player.message:
            for line in wrap(player.message, room, LETTERS):
                write(panel, line, x, y + 6, LETTERS, palette.colour("goal"), bold=True)
                y += line_height(LETTERS)
        hint = "h: keys"
        write(panel, hint, PANEL - 16 - text_width(hint, 9), self.height - 26, 9, palette.PALE_INK)

    def _write_rows(self, panel: Image, y: int, rows: list[tuple[str, str]]) -> int:
        """Label and text in two columns, both wrapped; answers where the next line may begin."""
        room = PANEL - 32
        column = min(max((text_width(label, LETTERS) for label, _ in rows), default=0) + 12, round(room * 0.53))
        for label, text in rows:
            lines = wrap(label, column - 8, LETTERS), wrap(text, room - column, LETTERS, bold=True)
            for i, line in enumerate(lines[0]):
                write(panel, line, 16, y + i * line_height(LETTERS), LETTERS, palette.PALE_INK)
            for i, line in enumerate(lines[1]):
                write(panel, line, 16 + column, y + i * line_height(LETTERS), LETTERS, bold=True)
            y += max(map(len, lines)) * line_height(LETTERS) + 3
        return y


def _layout(scene: Scene) -> tuple[object, ...]:
    """What decides about the room a scene needs, apart from the length of its words."""
    shape = (len(scene.floor), len(scene.floor[0]) if scene.floor else 0)
    overlays = tuple((type(overlay), overlay.name) for overlay in scene.overlays)
    charts = tuple((type(chart), chart.name) for chart in scene.charts)
    return (shape, overlays, charts, scene.columns, *(_layout(panel) for panel in scene.panels))
