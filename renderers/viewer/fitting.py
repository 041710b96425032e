"""A scene as large as fits: blocks of the largest tile, and the place in the middle where they are shown."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from engine.scene import Scene
from renderers.drawing.layout import Block
from renderers.drawing.picture import Painter

TILES = (256, 224, 192, 160, 128, 112, 96, 80, 72, 64, 56, 48, 40, 36, 32, 28, 24, 20, 16, 12, 8, 6, 4)
KEPT_PAINTERS = 3
LARGEST_TYPE = 14.0
LEGEND_SHARE = 0.7  # of the tile without a legend: where less were left, the legend goes


class Fitting:
    """Draws scenes into a room of a size in pixels; scenes of one shape keep their tile and their place.

    largest_type: of captions and legends, pixels a capital.
    """

    def __init__(self, width: int, height: int, largest_type: float = LARGEST_TYPE) -> None:
        self._width, self._height, self._largest_type = max(1, width), max(1, height), largest_type
        self._painters: dict[tuple[int, bool], Painter] = {}
        self._fits: dict[object, tuple[int, bool, tuple[int, int]]] = {}

    def block(self, scene: Scene) -> tuple[Block, tuple[int, int]]:
        """The scene's block, and the top and left where it is pasted."""
        shape, legends = _shape(scene), [True, False]
        if shape in self._fits:
            tile, legend, corner = self._fits[shape]
            block = self._painter(tile, legend).block(scene)
            if self._holds(block) or tile == TILES[-1]:
                return block, corner
            most, legends = tile, [legend]
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
        chosen = first - 2 if first >= 2 and fits(first - 2) else first
        fits(chosen)
        return tiles[chosen], blocks[chosen]

    def _most(self, scene: Scene) -> int:
        """A tile size that no grid of the scene can exceed in this room."""
        own = min(self._height // len(scene.floor), self._width // len(scene.floor[0])) if scene.floor else TILES[0]
        return min([own, *map(self._most, scene.panels)])

    def _holds(self, block: Block) -> bool:
        return block.width <= self._width and block.height <= self._height

    def _painter(self, tile: int, legend: bool) -> Painter:
        """The painter of a tile size; the last few are kept with the tiles that they have drawn."""
        made = self._painters.pop((tile, legend), None)
        painter = made or Painter(tile, legend=legend, largest_type=self._largest_type, room=self._width)
        self._painters[tile, legend] = painter
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
