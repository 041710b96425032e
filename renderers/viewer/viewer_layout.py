"""The viewer's picture: the scene as large as fits, words at its right, slider and time line below; numpy alone.

The scene is drawn with the largest tile that fits, in the middle of its place. Type, panel and time line grow with
the window, so that a projector shows them as large as a small window does.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import replace

from engine.scene import NumberLine, Scene, Signs
from renderers.charts import draw_number_line, find_number
from renderers.drawing import palette, shapes
from renderers.drawing.layout import Block, GridArea
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Image, blank, fill, paste
from renderers.viewer.controls import Panel, PlacedButton, Timeline
from renderers.viewer.player import Player
from renderers.viewer.viewable import Readings

TILES = (256, 224, 192, 160, 128, 112, 96, 80, 72, 64, 56, 48, 40, 36, 32, 28, 24, 20, 16, 12, 8, 6, 4)
KEPT_PAINTERS = 3
LARGEST_TYPE = 14.0
LEGEND_SHARE = 0.7  # of the tile without a legend: where less were left, the legend goes


class Fitting:
    """Draws scenes into a room of a size in pixels; scenes of one shape keep their tile and their place.

    largest_type: of captions and legends, pixels a capital.
    """

    def __init__(self, width: int, height: int, largest_type: float = LARGEST_TYPE) -> None:
        self._width = max(1, width)
        self._height = max(1, height)
        self._largest_type = largest_type
        self._painters: dict[tuple[int, bool, Signs], Painter] = {}
        self._signs: Signs = "sprites"
        self._fits: dict[object, tuple[int, bool, tuple[int, int]]] = {}

    def block(self, scene: Scene, signs: Signs = "sprites") -> tuple[Block, tuple[int, int]]:
        """The scene's block, and the top and left where it is pasted."""
        self._signs = signs
        shape = _shape(scene)
        legends = [True, False]
        if shape in self._fits:
            tile, legend, corner = self._fits[shape]
            block = self._painter(tile, legend).block(scene)
            if self._holds(block) or tile == TILES[-1]:
                return block, corner
            most = tile
            legends = [legend]
        else:
            most = self._most(scene)
        tile, legend, block = self._largest(scene, most, legends)
        corner = max(0, (self._height - block.height) // 2), max(0, (self._width - block.width) // 2)
        self._fits[shape] = tile, legend, corner
        return block, corner

    def _largest(self, scene: Scene, most: int, legends: Sequence[bool]) -> tuple[int, bool, Block]:
        """The largest tile at which a scene fits; without the legend where that would take most of the room."""
        legend = legends[0]
        tile, block = self._search(scene, most, legend)
        if scene.floor and len(legends) > 1 and tile < most * LEGEND_SHARE:
            bare, other = self._search(scene, most, False)
            if tile < bare * LEGEND_SHARE:
                return bare, False, other
        return tile, legend, block

    def _search(self, scene: Scene, most: int, legend: bool) -> tuple[int, Block]:
        """By bisection, and the next larger tile, as a legend may be less high below a wider grid; or the smallest."""
        tiles = [tile for tile in TILES if tile <= most] or TILES[-1:]
        blocks: dict[int, Block] = {}

        def fits(number: int) -> bool:
            if number not in blocks:
                blocks[number] = self._painter(tiles[number], legend).block(scene)
            return self._holds(blocks[number])

        first = bisect.bisect_left(range(len(tiles) - 1), True, key=fits)
        best = first - 2 if first >= 2 and fits(first - 2) else first
        fits(best)
        return tiles[best], blocks[best]

    def _most(self, scene: Scene) -> int:
        """A tile size that no grid of the scene can exceed in this room."""
        own = min(self._height // len(scene.floor), self._width // len(scene.floor[0])) if scene.floor else TILES[0]
        return min([own, *map(self._most, scene.panels)])

    def _holds(self, block: Block) -> bool:
        return block.width <= self._width and block.height <= self._height

    def _painter(self, tile: int, legend: bool) -> Painter:
        """The painter of a tile size; the last few are kept with the tiles that they have drawn."""
        key = (tile, legend, self._signs)
        made = self._painters.pop(key, None)
        painter = made or Painter(
            tile, legend=legend, largest_type=self._largest_type, room=self._width, signs=self._signs
        )
        self._painters[key] = painter
        while len(self._painters) > KEPT_PAINTERS:
            del self._painters[next(iter(self._painters))]
        return painter


def _shape(scene: Scene) -> tuple[object, ...]:
    """What determines the size of a scene, apart from the length of its texts."""
    floor = (len(scene.floor), len(scene.floor[0]) if scene.floor else 0)
    overlays = tuple((type(overlay), bool(overlay.name)) for overlay in scene.overlays)
    charts = tuple((type(chart), bool(chart.name)) for chart in scene.charts)
    frame = None if scene.frame is None else (scene.frame.height, scene.frame.width)
    return (floor, frame, overlays, charts, scene.columns, *(_shape(panel) for panel in scene.panels))


MIN_WIDTH, MIN_HEIGHT = 480, 320
SMALLEST_TYPE = 7.5
LEAST_PANEL = 190
SMALL_WINDOW = 420  # pixels high: below, of the viewer's own buttons only that of all keys has room
WIDTH_IN_CAPITALS = 91
HEIGHT_IN_CAPITALS = 61
PANEL_IN_CAPITALS = 31
TIMELINE = "time line"
SLIDER = "slider"
BOARD = "board"


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
        self._darkened = (blank(0, 0, palette.PAPER),) * 2
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
        frame = self._draw_window(player)
        return self._darken(frame) if player.dark else frame

    def _draw_window(self, player: Player) -> Image:
        speed = ("speed", f"{player.speed:g} a second{'' if player.playing else ', paused'}")
        position = ("scene", f"{player.position + 1} of {len(player.viewable)}")
        frame, scene_readings = self._board(player)
        if player.help:
            return frame
        strip = frame[self.height - self.timeline_height :, : self._timeline.width]
        self._timeline.draw(strip, player.position, len(player.viewable), player.playing)
        panel = frame[:, self._timeline.width :]
        title = player.viewable.title
        readings = (position, *scene_readings, speed)
        buttons = player.buttons if self.height >= SMALL_WINDOW else [*player.viewable.buttons, player.buttons[-1]]
        self._buttons = self._panel.draw(panel, title, readings, player.message, buttons)
        return frame

    def draw_recorded(self, player: Player) -> Image:
        """uint8[height, width, 3]: the same without what belongs to a window alone: buttons, time line, speed."""
        frame, readings = self._board(player)
        if not player.help:
            panel = frame[:, self._timeline.width :]
            self._panel.draw(panel, player.viewable.title, readings, player.message, ())
        return self._darken(frame) if player.dark else frame

    def _darken(self, frame: Image) -> Image:
        """The dark form of a frame: of a frame like the one before, only the rows that differ are worked out anew."""
        light, dark = self._darkened
        if light.shape == frame.shape:
            dark = dark.copy()
            changed = (frame != light).any(axis=(1, 2))
            dark[changed] = palette.darken(frame[changed])
        else:
            dark = palette.darken(frame)
        self._darkened = frame, dark
        return dark

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
            player.slide(find_number(self._slider, (x - 2 * self.type_size) / line_width))
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
        self._areas = ()
        self._buttons = []
        if player.help:
            rows = tuple((key, description) for key, (_, description) in player.keys.items())
            self._panel.keys(frame, player.viewable.title, rows)
            return frame, ()
        self._slider = player.viewable.slider
        scene = player.scene()
        line = None
        if self._slider is not None:
            line = draw_number_line(self._slider, round(self._timeline.width - 2 * self.type_size), self.type_size)
        self._fit(0 if line is None else line.shape[0] + round(self.type_size))
        block, (top, left) = self._fitting.block(replace(scene, readings=()), player.signs)
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
            self._board_height = height
            self._fitted = fitting
            self._fitting = Fitting(*fitting)

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
