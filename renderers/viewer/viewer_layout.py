"""The viewer's picture: the scene as large as fits, words and buttons at its right, slider and time line below.

The scene is drawn with the largest tile that fits, in the middle of its place. Type, panel and time line grow with
the window, so that a projector shows them as large as a small window does. numpy alone draws.

The panel shows title, readings and buttons, in type of any size. The time line has a button that plays, and a knob
to drag through the scenes. The page of keys covers all of it."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from engine.scene import NumberLine, Scene, Signs
from renderers.charts import draw_number_line, find_number
from renderers.drawing import palette, shapes
from renderers.drawing.picture import Block, GridArea, Painter
from renderers.drawing.shapes import Image, around, blank, cover, fill, paste
from renderers.drawing.stroke_font import line_height, shorten, text_width, wrap, write
from renderers.viewer.player import Player
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
    """Return a button with its label, pale where it is not available."""
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
        """Return whether a column of pixels is that of the button."""
        return x < self.start - self.size

    def scene(self, x: int, scenes: int) -> int:
        """Return the number of the scene that lies at a column of pixels."""
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
        """Return the scene's block, and the top and left where it is pasted."""
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
        """Return the largest tile at which a scene fits; without the legend where that would take most of the room."""
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
        """Return a tile size that no grid of the scene can exceed in this room."""
        own = min(self._height // len(scene.floor), self._width // len(scene.floor[0])) if scene.floor else TILES[0]
        return min([own, *map(self._most, scene.panels)])

    def _holds(self, block: Block) -> bool:
        return block.width <= self._width and block.height <= self._height

    def _painter(self, tile: int, legend: bool) -> Painter:
        """Return the painter of a tile size; the last few are kept with the tiles that they have drawn."""
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
    """Return what determines the size of a scene, apart from the length of its texts."""
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
        """Return uint8[height, width, 3]: the frame of a window, with all that the pointer can take hold of."""
        frame = self._draw_window(player)
        return self._darken(frame) if player.dark else frame

    def _draw_window(self, player: Player) -> Image:
        speed = ("speed", f"{player.speed:g} per second{'' if player.playing else ', paused'}")
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
        """Return what a mouse click does: a button, a place on time line or slider, or what a click on that cell means.

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
        """Return a frame with the scene and the slider, and the scene's readings; or all keys."""
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
        """Return the panel and the cell under a pixel."""
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
