"""The viewer's frames: any size, the grid whole, clicks that land where they point, memory that stays."""

import tracemalloc
from pathlib import Path

import pytest

from engine.scene import Film, Mark, Scene
from renderers.drawing.palette import CROSS
from renderers.drawing.raster import Raster
from renderers.film import save
from renderers.formats import json as film_json
from renderers.viewer.player import Player
from renderers.viewer.viewable import FilmShow
from renderers.viewer.viewer_layout import LEAST_HEIGHT, LEAST_WIDTH, PANEL, TIME_LINE, Stage
from renderers.viewer.window import Window


@pytest.fixture
def player(film: Film) -> Player:
    return Player(FilmShow(film, "a walk"))


@pytest.mark.parametrize(("width", "height"), [(960, 640), (500, 330), (1600, 500), (700, 1200), (1, 1)])
def test_frames_have_the_windows_size_and_hold_the_whole_grid(player: Player, width: int, height: int) -> None:
    stage = Stage(width, height)
    frame = stage.draw(player)
    assert frame.shape == (max(height, LEAST_HEIGHT), max(width, LEAST_WIDTH), 3)
    spot = stage._spots[0]
    grid = Raster(spot.tile).grid(player.scene())
    shown = frame[spot.top : spot.top + grid.shape[0], spot.left : spot.left + grid.shape[1]]
    assert (shown == grid).all()


def test_a_larger_window_has_larger_tiles(player: Player) -> None:
    tiles = []
    stage = Stage(600, 400)
    for size in ((600, 400), (1200, 900)):
        stage.resize(*size)
        stage.draw(player)
        tiles.append(stage._spots[0].tile)
    assert tiles[0] < tiles[1]


def test_clicking_a_cell_shows_its_values(player: Player) -> None:
    stage = Stage()
    stage.draw(player)
    spot = stage._spots[0]
    stage.click(player, spot.left + spot.tile * 3 + 2, spot.top + spot.tile + 2)
    assert player.cell == (1, 3)
    assert ("value", "-1") in player.scene().readings
    assert (stage.draw(player) == CROSS).all(axis=2).any()
    stage.click(player, 1, 1)
    assert player.cell is None


def test_clicking_the_time_line_jumps(player: Player) -> None:
    stage = Stage()
    stage.draw(player)
    y = stage.height - TIME_LINE // 2
    for x, position in ((stage.width - PANEL - 16, 3), (16, 0), ((stage.width - PANEL) // 2 + 40, 2), (0, 0)):
        stage.click(player, x, y)
        assert player.position == position


def test_help_messages_and_panels_are_drawn(player: Player, plain_film: Film) -> None:
    stage = Stage()
    usual = stage.draw(player)
    player.press("h")
    helping = stage.draw(player)
    player.press("h")
    player.press("s")
    telling = stage.draw(player)
    assert (usual != helping).any()
    assert (usual != telling).any()
    panels = Player(FilmShow((Scene(panels=plain_film[:2]),)))
    stage.draw(panels)
    assert [spot.panel for spot in stage._spots] == [(0,), (1,)]


def long_film(length: int) -> Film:
    fixed = tuple(Mark(1, c, "w", f"wood {c}") for c in (2, 5))
    floor = ("#" * 12, *["#" + " " * 10 + "#"] * 10, "#" * 12)
    walk = ((1 + i % 10, 1 + i // 10 % 10) for i in range(length))
    return tuple(
        Scene(floor, (*fixed, Mark(row, column, "@", "agent", "agent")), (), f"step {i}", (("return", f"{-i}"),))
        for i, (row, column) in enumerate(walk)
    )


@pytest.mark.slow
def test_ten_thousand_steps_open_scrub_and_close_without_growing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    path = tmp_path / "long.json"
    save(path, long_film(10_000))

    def scrub(window: Window, rounds: int) -> None:
        for i in range(rounds):
            window.player.go(i * 7919 % 10_000)
            window.turn(0.0)

    with Window(Player(FilmShow(film_json.read(path), "long")), Stage(640, 420)) as window:
        scrub(window, 300)
        tracemalloc.start()
        try:
            scrub(window, 150)
            before, _ = tracemalloc.get_traced_memory()
            scrub(window, 450)
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert after - before < 300_000
    assert peak < 30_000_000
