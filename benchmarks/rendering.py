"""Raster frames per second for a 10 x 10 world at 48 pixels, beside FrozenLake and Minigrid at the same size.

    python benchmarks/rendering.py [--quick]

All of them give fresh rgb arrays of the same shape, and all are measured in turns in one run. `full` copies every
tile of every frame; `few` is an agent that moves, so that two tiles change; `values` lays another heat map with
numbers over the floor in every frame. Only drawing is timed: agents are put where they are, no world steps. FrozenLake
draws with pygame; Minigrid caches tiles as numpy arrays, as we do.

GIFs are compared with Pillow's `save(save_all=True)`, given the same palette, transparency and optimisation: bytes and
seconds of ours over Pillow's, the pictures drawn beforehand.

Graphs have many arrows: a frame of the viewer on copies and slots, a new one each time, and the diagram of a planning
world with three decisions at the size of a page are timed in processor seconds. The page of lessons is measured by
lessons_page.py.
"""

from __future__ import annotations

import argparse
import io
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
from minigrid.envs.empty import EmptyEnv
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from caregrid.programmes.programme import make_film
from counterfactual.influence.picture import draw_diagram_scene, make_diagram_picture
from engine.scene import Heat, Mark, Scene
from renderers.drawing.picture import Painter
from renderers.drawing.raster import Raster
from renderers.film import RenderedFilm
from renderers.formats.pictures import ENTRIES, LAST_SCENE_REPEATS, gif, index_pixels, make_shared_palette
from renderers.viewer.player import Player
from renderers.viewer.viewable import ViewableFilm
from renderers.viewer.viewer_layout import ViewerLayout

CELLS = 10
TILE = 48
AT_LEAST = {"FrozenLake": 20.0, "Minigrid": 5.0}
SLOTS = "slots/copy_delete_original"
WINDOWS = {f"{SLOTS}, a small window": (960, 640), f"{SLOTS}, a projector": (1900, 1060)}
AT_MOST = {**dict.fromkeys(WINDOWS, 0.020), "diagram": 0.5}  # processor seconds
Draw = Callable[[int], np.ndarray]


def make_scene(number: int) -> Scene:
    """The world with the agent on its way: ten things on the floor."""
    floor = ("#" * CELLS, *["#" + " " * (CELLS - 2) + "#"] * (CELLS - 2), "#" * CELLS)
    things = tuple(Mark(1 + i, 1 + 3 * i % 8, "KTWFXkhwE"[i % 9], f"thing {i}", "feature") for i in range(8))
    row, column = divmod(number % 64, 8)
    return Scene(floor, (*things, Mark(1, 8, "k", "key"), Mark(1 + row, 1 + column, "@", "agent", "agent")))


def make_our_drawers() -> Mapping[str, Draw]:
    """Ours: full frames, few changes, and changing value maps."""
    walk = [make_scene(i) for i in range(64)]
    cells = [(row, column) for row in range(1, 9) for column in range(1, 9)]
    maps = [
        Scene(one.floor, one.marks, (Heat("value", tuple((*cell, -float(sum(cell) + i % 8)) for cell in cells)),))
        for i, one in enumerate(walk)
    ]
    full = Raster(TILE)
    few = Raster(TILE)
    values = Raster(TILE)

    def draw_full(number: int) -> np.ndarray:
        full.redraw_all()
        return full.grid(walk[number % 64])

    return {
        "full": draw_full,
        "few": lambda number: few.grid(walk[number % 64]),
        "values": lambda number: values.grid(maps[number % 64]),
    }


def make_frozen_lake() -> Draw:
    """Gymnasium's FrozenLake on a map of the same size, its window set to the same pixels, the agent moving."""
    lake = ["S" + "F" * (CELLS - 1), *["F" * CELLS] * (CELLS - 2), "F" * (CELLS - 1) + "G"]
    world = gymnasium.make("FrozenLake-v1", desc=lake, is_slippery=False, render_mode="rgb_array").unwrapped
    world.window_size = (CELLS * TILE,) * 2  # type: ignore[attr-defined]
    world.cell_size = (TILE, TILE)  # type: ignore[attr-defined]
    world.reset(seed=0)

    def draw(number: int) -> np.ndarray:
        world.s = number % CELLS**2  # type: ignore[attr-defined]
        return world.render()  # type: ignore[return-value]

    return draw


def make_minigrid() -> Draw:
    """Minigrid's empty room of the same size, nothing highlighted (its quicker way), the agent turning."""
    world = EmptyEnv(size=CELLS, tile_size=TILE, render_mode="rgb_array", highlight=False)
    world.reset(seed=0)

    def draw(number: int) -> np.ndarray:
        world.agent_dir = number % 4
        return world.render()  # type: ignore[return-value]

    return draw


def measure_rate(draw: Draw, seconds: float) -> float:
    """Frames drawn in about that time."""
    number = 0
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        draw(number)
        number += 1
    return number / passed


def measure(rounds: int, seconds: float) -> dict[str, float]:
    """The median over rounds in which everybody has a turn, after one for warming up."""
    drawers = {**make_our_drawers(), "FrozenLake": make_frozen_lake(), "Minigrid": make_minigrid()}
    shapes = {draw(0).shape for draw in drawers.values()}
    assert shapes == {(CELLS * TILE, CELLS * TILE, 3)}, shapes
    rates: dict[str, list[float]] = {name: [] for name in drawers}
    for turn in range(rounds + 1):
        for name, draw in drawers.items():
            rate = measure_rate(draw, seconds)
            if turn:
                rates[name].append(rate)
    return {name: statistics.median(values) for name, values in rates.items()}


def encode_by_pillow(film: RenderedFilm) -> bytes:
    """The same film by Pillow's writer for whole animations."""
    numbers = range(len(film.scenes))
    palette, entry = make_shared_palette(film.images(numbers))
    table = palette.tobytes().ljust(3 * 256, b"\0")
    images = [Image.fromarray(index_pixels(picture, entry)).convert("P") for picture in film.images(numbers)]
    for image in images:
        image.putpalette(table)
    times = [film.milliseconds] * (len(images) - 1) + [film.milliseconds * LAST_SCENE_REPEATS]
    options = {"duration": times, "loop": 0, "disposal": 1, "palette": table, "transparency": ENTRIES}
    stream = io.BytesIO()
    images[0].save(stream, "GIF", save_all=True, append_images=images[1:], optimize=True, interlace=False, **options)
    return stream.getvalue()


def compare_gifs(scenes: int, rounds: int) -> tuple[float, float]:
    """Bytes and seconds (the median of pairs) of our GIFs over those of Pillow's writer for whole animations."""
    raster = Raster(TILE)
    pictures = [raster.grid(make_scene(number)) for number in range(scenes)]
    film = RenderedFilm(
        [Scene()] * scenes, lambda numbers: iter([pictures[number] for number in numbers]), lambda: pictures[0]
    )
    sizes = [0, 0]
    ratios = []
    for _ in range(rounds):
        seconds = []
        for i, write in enumerate((gif.encode, encode_by_pillow)):
            began = time.process_time()
            sizes[i] = len(write(film))
            seconds.append(time.process_time() - began)
        ratios.append(seconds[0] / seconds[1])
    return sizes[0] / sizes[1], statistics.median(ratios)


def time_graphs(rounds: int) -> dict[str, float]:
    """Processor seconds of a frame of copies and slots in two windows, and of a diagram; medians over rounds.

    Each window has drawn one frame before, as one that is open.
    """
    film = make_film(SLOTS, {"policy": "always:1", "horizon": 3})
    player = Player(ViewableFilm(film))
    layouts = {name: ViewerLayout(*size) for name, size in WINDOWS.items()}
    for layout in layouts.values():
        layout.draw(player)
    seconds: dict[str, list[float]] = {name: [] for name in AT_MOST}
    shown = draw_diagram_scene(make_diagram_picture("itc", 3))
    for _ in range(rounds):
        for number in range(len(film)):
            player.go(number)
            for name, layout in layouts.items():
                seconds[name].append(_time_drawing(partial(layout.draw, player)))
        seconds["diagram"].append(_time_drawing(lambda: Painter().picture(shown)))
    return {name: statistics.median(times) for name, times in seconds.items()}


def _time_drawing(draw: Callable[[], object]) -> float:
    began = time.process_time()
    draw()
    return time.process_time() - began


def main() -> int:
    """Print frames per second and ratios; 1 where a ratio is below what is promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a second or two")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, ratios = options.quick, Ratios("rendering", options.ratios, quick=options.quick)
    rates = measure(3 if quick else 7, 0.1 if quick else 0.5)
    for name, rate in rates.items():
        print(f"{name:12} {rate:9.0f} frames per second")
    short = []
    for other, least in AT_LEAST.items():
        for mine in ("full", "few"):
            ratio = rates[mine] / rates[other]
            print(f"{mine} / {other}: {ratio:.1f} (at least {least:g})")
            ratios.add(f"{mine} / {other}", ratio, least=least)
            short += [other] if ratio < least else []
    for name, spent in time_graphs(1 if quick else 5).items():
        print(f"{name}: {1000 * spent:.0f} ms (at most {1000 * AT_MOST[name]:g})")
        short += [name] if spent > AT_MOST[name] and not quick else []
    size, seconds = compare_gifs(20 if quick else 200, 1 if quick else 5)
    print(f"GIF / Pillow's save_all: {size:.2f} times the bytes, {seconds:.2f} times the seconds")
    ratios.add("GIF, Pillow's seconds / ours", 1 / seconds, least=0.5)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
